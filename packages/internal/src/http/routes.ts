import {
  aFunction,
  aBoolean,
  anObject,
  anObjectWith,
  aNonEmptyString,
  aStringMatching,
  checkOptions,
  listOf,
  type OptionChecks,
  optionsOf,
  required,
  wholeNumber,
} from '@mintmark/storage-interface/stores'

import type { Capacity } from './capacity.ts'
import { createService, type CrossOrigin, type Endpoint, type HttpService, type Route } from './service.ts'
import {
  allowHeader,
  decodeSegment,
  withHeaders,
  type RequestHead,
  type ServerRequest,
  type ServerResponse,
} from './message.ts'

/** A route with a path, and an endpoint for each method that it answers. */
export interface PathRoute {
  /**
   * The whole path, including percent-encoding, compared byte for byte. `{name}` matches one segment that is not empty.
   */
  readonly path: string
  readonly methods: Readonly<Record<string, Endpoint>>
  /** Renders every error that one of the endpoints throws. This function must not throw. */
  readonly renderError: RenderError
  readonly crossOrigin?: CrossOrigin
  /** Requests are answered without storage, or wait for an event: they are not counted as work. */
  readonly isUncounted?: boolean
}

export type RenderError = (error: unknown, request: RequestHead) => ServerResponse | Promise<ServerResponse>

interface RouterOptions extends Pick<HttpService, 'origin' | 'bodyLimit'> {
  /** Every path of the service, with its methods. */
  readonly routes: readonly PathRoute[]
  /** Creates the response to a request whose body is too large, also for the host's pages. */
  readonly tooLarge: (request: RequestHead) => ServerResponse | Promise<ServerResponse>
  /** Creates the response to a request whose path matches none of the routes. */
  readonly notFound: (request: RequestHead) => ServerResponse | Promise<ServerResponse>
  /** Creates the response to a method that the route does not have, without the `Allow` header. */
  readonly methodNotAllowed: (request: RequestHead) => ServerResponse | Promise<ServerResponse>
  /**
   * Bounds the requests that are worked on at the same time.
   * @defaultValue No bound. A small service needs none.
   */
  readonly capacity?: Capacity
}

/**
 * Creates an HTTP service from a list of paths. The service does not authenticate requests.
 * @throws TypeError when an option is unknown or invalid, or two routes have the same path.
 */
export function createRouter(options: RouterOptions): HttpService {
  checkOptions('createRouter', options, routerOptions)
  const { origin, bodyLimit } = options
  const routes = new Map(
    options.routes.map(
      ({ path, methods, crossOrigin, isUncounted, ...details }): [string, Route<undefined, PathDetails>] => [
        path,
        { methods: new Map(Object.entries(methods)), template: path, crossOrigin, isUncounted, details },
      ],
    ),
  )
  if (routes.size < options.routes.length) throw new TypeError('Two routes have the same path.')
  const patterns = options.routes.filter(({ path }) => path.includes('{'))
  const find = (path: string): Route<undefined, PathDetails> | undefined =>
    routes.get(path) ?? matchPatterns(path, patterns).flatMap(({ pattern }) => routes.get(pattern.path) ?? [])[0]

  return createService<undefined, PathDetails>({
    origin,
    bodyLimit,
    tooLarge: ({ request }) => options.tooLarge(request),
    capacity: options.capacity,
    serves: (path) => find(path) !== undefined,
    find: ({ url }) => find(url.pathname),
    notFound: ({ request }) => options.notFound(request),
    methodNotAllowed: async (methods, { request }) =>
      withHeaders(await options.methodNotAllowed(request), [allowHeader(methods)]),
    renderError: (error, { request, route }) => {
      if (route === undefined) throw error
      return route.details.renderError(error, request)
    },
  })
}

/**
 * Wraps the endpoints of the routes: each request calls `prepare` first, until a call has returned true. The endpoint
 * runs even if `prepare` returns false. If `prepare` throws, the route renders the error.
 */
export function afterPreparation(routes: readonly PathRoute[], prepare: () => Promise<boolean>): readonly PathRoute[] {
  let isPrepared = false
  const prepared =
    (endpoint: Endpoint): Endpoint =>
    (request) =>
      isPrepared ? endpoint(request) : prepareFor(endpoint, request)

  async function prepareFor(endpoint: Endpoint, request: ServerRequest): Promise<ServerResponse> {
    isPrepared = (await prepare()) || isPrepared
    return endpoint(request)
  }

  return routes.map((route) => ({
    ...route,
    methods: Object.fromEntries(
      Object.entries(route.methods).map(([method, endpoint]) => [method, prepared(endpoint)]),
    ),
  }))
}

const routerOptions: OptionChecks<RouterOptions> = {
  origin: required(aNonEmptyString),
  bodyLimit: required(wholeNumber(0)),
  tooLarge: required(aFunction),
  routes: required(
    listOf(
      optionsOf<PathRoute>({
        path: required(aStringMatching(/^\//, 'must be a path')),
        methods: required(
          (methods) => anObject(methods) ?? listOf(aFunction)(Object.values(methods as Record<string, unknown>)),
        ),
        renderError: required(aFunction),
        crossOrigin: (value) =>
          value === 'any_origin' ? undefined : aFunction(value) && 'must be any_origin or a function',
        isUncounted: aBoolean,
      }),
    ),
  ),
  notFound: required(aFunction),
  methodNotAllowed: required(aFunction),
  capacity: anObjectWith('enter'),
}

type PathDetails = Pick<PathRoute, 'renderError'>

/** Finds the routes whose pattern matches a path. `{name}` in a pattern matches one segment that is not empty. */
export function matchPatterns<Pattern extends { readonly path: string }>(
  path: string,
  patterns: readonly Pattern[],
): readonly { readonly pattern: Pattern; readonly parts: ReadonlyMap<string, string> }[] {
  const segments = path.split('/')
  return patterns.flatMap((pattern) => {
    const parts = partsOf(segments, pattern.path.split('/'))
    return parts === undefined ? [] : [{ pattern, parts }]
  })
}

function partsOf(segments: readonly string[], pattern: readonly string[]): ReadonlyMap<string, string> | undefined {
  if (segments.length !== pattern.length) return undefined
  const parts = new Map<string, string>()
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? ''
    const name = /^\{(\w+)\}$/.exec(expected)?.[1]
    if (name === undefined) {
      if (segment !== expected) return undefined
      continue
    }
    const value = decodeSegment(segment)
    if (value === undefined || value === '') return undefined
    parts.set(name, value)
  }
  return parts
}
