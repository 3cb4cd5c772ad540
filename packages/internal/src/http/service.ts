// Over 250 lines: the steps of answering a request are in this file, because their order matters.
import {
  allowHeader,
  type Header,
  onceForReady,
  type ReceivedRequest,
  type RequestHead,
  type ServerRequest,
  type ServerResponse,
  withHeaders,
  withoutBody,
} from './message.ts'
import type { Capacity } from './capacity.ts'

/** What an adapter serves: an authorization server, a SCIM server, the administration API. */
export interface HttpService {
  /** Scheme, host and port of the configured issuer. */
  readonly origin: string
  /** The maximum size, in bytes, of a request body for the host's pages. */
  readonly bodyLimit: number
  /**
   * Creates the response to a request whose body is too large (RFC 9110 §15.5.14), including requests to the host's
   * pages.
   */
  tooLarge(request: RequestHead): ServerResponse | Promise<ServerResponse>
  /** Whether the path belongs to the service. An adapter leaves other requests to the host. */
  serves(path: string): boolean
  /**
   * Returns the template of the path of a request, such as `/grants/{grant_id}`; `undefined` if no endpoint has the
   * path. A service has few templates, so they can name spans and metrics.
   */
  template?(request: RequestHead): string | undefined
  /**
   * Answers a request to one of the service's paths, and decides from the head whether to read the body at all. It
   * never throws.
   */
  handle(request: ReceivedRequest): Promise<ServerResponse>
}

/** Answers one request. It may throw: the service renders its error. */
export type Endpoint = (request: ServerRequest) => Promise<ServerResponse>

/** The endpoints and settings of a path of a service. */
export interface Route<Caller = unknown, Details = unknown> {
  /** By method, in capitals; undefined when the path does not exist. GET also answers HEAD. */
  readonly methods: ReadonlyMap<string, RouteEndpoint<Caller, Details>> | undefined
  /** The whole path, with `{name}` for each variable segment; undefined when the path does not exist. */
  readonly template: string | undefined
  /** Anybody may send requests: `authenticate` is not called. */
  readonly isPublic?: boolean
  /** Which other origins' scripts may read the responses. Default: none. */
  readonly crossOrigin?: CrossOrigin | undefined
  /** In bytes. Default: the limit of the service. */
  readonly bodyLimit?: number
  /** Requests are answered without storage, or wait for an event: they are not counted as work. */
  readonly isUncounted?: boolean | undefined
  /** For the hooks of the service. */
  readonly details: Details
}

/** Answers a request of a caller; `details` belong to the route. */
export type RouteEndpoint<Caller, Details> = (
  request: ServerRequest,
  caller: Caller,
  details: Details,
) => Promise<ServerResponse>

/** A request, with what is known about it so far. */
export interface Exchange<Caller, Details> {
  readonly request: RequestHead
  readonly caller: Caller | undefined
  readonly route: Route<Caller, Details> | undefined
}

export interface ServiceOptions<Caller, Details> extends Pick<HttpService, 'origin' | 'bodyLimit' | 'serves'> {
  /** Bounds the requests that are worked on at the same time. Default: no bound. */
  readonly capacity?: Capacity | undefined
  /** Finds the route of a request. */
  readonly find: (request: RequestHead) => Route<Caller, Details> | undefined
  /** Authenticates the caller from the head alone. Errors that it throws are rendered. */
  readonly authenticate?: (request: RequestHead, route: Route<Caller, Details> | undefined) => Promise<Caller>
  /** Counts the request against limits, before its body is read. */
  readonly admit?: (caller: Caller, request: RequestHead, body: DeclaredBody) => Promise<Admission>
  /** Throws unless the caller may use the route and the method. */
  readonly authorize?: (exchange: Exchange<Caller, Details>) => void
  /** Refuses a request whose body is too large, or is declared to be (RFC 9110 §15.5.14). */
  readonly tooLarge: (exchange: Exchange<Caller, Details>) => ServerResponse | Promise<ServerResponse>
  readonly notFound: (exchange: Exchange<Caller, Details>) => ServerResponse | Promise<ServerResponse>
  /** @param methods the methods of the route, in their order. */
  readonly methodNotAllowed: (
    methods: readonly string[],
    exchange: Exchange<Caller, Details>,
  ) => ServerResponse | Promise<ServerResponse>
  /** Renders an error that was thrown. */
  readonly renderError: (
    error: unknown,
    exchange: Exchange<Caller, Details>,
  ) => ServerResponse | Promise<ServerResponse>
}

/** Whether the request may proceed, and headers for the response in both cases. */
export interface Admission {
  readonly headers: readonly Header[]
  /** The error to render instead of a response of the endpoint. */
  readonly refusal?: Error | undefined
  /** Called when the request has been answered. */
  readonly release?: (() => void) | undefined
}

/** The body that is about to be read. */
export interface DeclaredBody {
  /** The maximum number of bytes: the declared length or, without it, the limit of the route; 0 without a body. */
  readonly atMostBytes: number
}

/**
 * Creates a service from its routes. Before it reads the body it decides, in this order: preflight, the capacity, the caller,
 * the rate limit, the path, the method, the caller's authorization, the declared length. HEAD is answered as GET.
 * Errors are caught only here.
 */
export function createService<Caller, Details>(options: ServiceOptions<Caller, Details>): HttpService {
  const shareWithAll = onceForReady((response) => withHeaders(response, allowAllOrigins))

  async function respond(
    received: ReceivedRequest,
    route: Route<Caller, Details> | undefined,
  ): Promise<ServerResponse> {
    let caller: Caller | undefined
    let admission: Admission | undefined
    let request: ServerRequest | undefined
    let response: ServerResponse
    let isCounted = false
    const capacity = route?.isUncounted === true ? undefined : options.capacity
    const bodyLimit = route?.bodyLimit ?? options.bodyLimit
    try {
      capacity?.check()
      if (options.authenticate !== undefined && route?.isPublic !== true) {
        caller = await options.authenticate(received, route)
        admission = await options.admit?.(caller, received, declaredBody(received, bodyLimit))
        if (admission?.refusal !== undefined) throw admission.refusal
      }
      const exchange = { request: received, caller, route }
      const endpoint = selectEndpoint(exchange)
      if (endpoint === undefined || route === undefined) {
        response = await noEndpoint(exchange)
      } else {
        // Here and below, only promises are awaited: on most requests, each of these waits would be for a value.
        const reading = readRequest(received, bodyLimit)
        const read = reading instanceof Promise ? await reading : reading
        if (read === 'aborted') return abandoned
        if (read === 'too_large') {
          response = await options.tooLarge(exchange)
        } else {
          request = read
          // Only now, so that a client that sends its body slowly keeps no place from others.
          capacity?.enter()
          isCounted = true
          // A caller is what `authenticate` returned, or undefined without it.
          response = await endpoint(read, caller as Caller, route.details)
        }
      }
    } catch (error) {
      // Work that stops because the client has disconnected has not failed.
      if (isAbandoned(error, received)) return abandoned
      response = await options.renderError(error, { request: request ?? received, caller, route })
    } finally {
      if (isCounted) capacity?.leave()
      admission?.release?.()
    }
    if (route?.crossOrigin === 'any_origin') response = shareWithAll(response)
    else if (request !== undefined && route?.crossOrigin !== undefined) {
      const headers = crossOriginHeaders(route.crossOrigin, request)
      response = withHeaders(response, headers instanceof Promise ? await headers : headers)
    }
    return admission === undefined ? response : withHeaders(response, admission.headers)
  }

  function selectEndpoint(exchange: Exchange<Caller, Details>): RouteEndpoint<Caller, Details> | undefined {
    const { request, route } = exchange
    const endpoint = route?.methods?.get(request.method === 'HEAD' ? 'GET' : request.method)
    if (endpoint !== undefined) options.authorize?.(exchange)
    return endpoint
  }

  const noEndpoint = (exchange: Exchange<Caller, Details>): ServerResponse | Promise<ServerResponse> =>
    exchange.route?.methods === undefined
      ? options.notFound(exchange)
      : options.methodNotAllowed([...exchange.route.methods.keys()], exchange)

  return {
    origin: options.origin,
    bodyLimit: options.bodyLimit,
    tooLarge: (request) => options.tooLarge({ request, caller: undefined, route: undefined }),
    serves: options.serves,
    template: (request) => options.find(request)?.template,
    handle(received) {
      const route = options.find(received)
      if (route?.crossOrigin !== undefined && isPreflight(received))
        return Promise.resolve(preflightResponse([...(route.methods?.keys() ?? [])]))

      const response = respond(received, route)
      return received.method === 'HEAD' ? response.then(withoutBody) : response
    },
  }
}

/**
 * Checks the services that an adapter is given. Otherwise every request would fail, for example because the host has
 * passed a promise.
 * @param of the name of the function that takes the services.
 * @throws TypeError that names the service.
 */
export function checkServices(services: readonly HttpService[]): void {
  const wrong = services.findIndex(
    (service: Partial<HttpService> | null | undefined) => typeof service?.handle !== 'function',
  )
  // Adapters call each other, so the name of one would often be the wrong one.
  if (wrong !== -1)
    throw new TypeError(
      `toExpress, toFetch and the other adapters: argument ${wrong + 1} must be a server, such as that of createAuthorizationServer, and not a promise of one.`,
    )
}

/**
 * Reads the body of a request, once. The bodies of GET and HEAD have no meaning (RFC 9110 §9.3.1) and are not read.
 * @param limit in bytes.
 */
export function readRequest(
  received: ReceivedRequest,
  limit: number,
): ServerRequest | 'too_large' | Promise<ServerRequest | 'too_large' | 'aborted'> {
  if (isBuffered(received)) return received
  if (!hasBody(received)) return withBody(received, noBody)
  return isDeclaredTooLarge(received, limit) ? 'too_large' : readUnread(received, limit)
}

async function readUnread(
  received: Exclude<ReceivedRequest, ServerRequest>,
  limit: number,
): Promise<ServerRequest | 'too_large' | 'aborted'> {
  const body = await received.body(limit)
  return body === 'too_large' || body === 'aborted' ? body : withBody(received, body)
}

const withBody = (
  { method, url, headers, repeatedHeaders, host, sent, signal, isAbandoned: isOver }: RequestHead,
  body: Uint8Array,
): ServerRequest => ({ method, url, headers, repeatedHeaders, host, sent, signal, isAbandoned: isOver, body })

/** Never delivered: the client has disconnected, or the host has sent its own response. */
const abandoned: ServerResponse = { status: 400, headers: [], body: undefined }

/**
 * Stops the work for a request whose client has disconnected. Called before a write that only serves the client, such as
 * the use of a code: nobody would receive what it was used for. Never called before a write that the client may expect
 * without waiting for the response, such as a revocation.
 *
 * What counts as disconnected depends on the adapter. Node.js: the connection, or the stream of HTTP/2, was closed before
 * the response was complete; behind a proxy, once the proxy closes its own connection. Fetch: the signal of the `Request`,
 * which Bun, Deno and Node.js servers abort on disconnection. A runtime that never aborts it (Cloudflare Workers without
 * `enable_request_signal`) only loses the early end.
 * @throws DOMException AbortError. The service then sends no response.
 */
export function stopIfAbandoned(request: Pick<RequestHead, 'signal' | 'isAbandoned'>): void {
  // Some runtimes abort with another reason.
  if (hasDisconnected(request)) throw new DOMException('The client has disconnected.', 'AbortError')
}

/** Whether an error, or the error that it was converted from, says that the client has disconnected. */
function isAbandoned(error: unknown, request: RequestHead): boolean {
  const cause = error instanceof DOMException || !(error instanceof Error) ? error : error.cause
  return cause instanceof DOMException && cause.name === 'AbortError' && hasDisconnected(request)
}

const hasDisconnected = ({ signal, isAbandoned: isOver }: Pick<RequestHead, 'signal' | 'isAbandoned'>): boolean =>
  isOver === undefined ? signal?.().aborted === true : isOver()

const isBuffered = (received: ReceivedRequest): received is ServerRequest => typeof received.body !== 'function'

const hasBody = ({ method }: RequestHead): boolean => method !== 'GET' && method !== 'HEAD'

const noBody = new Uint8Array()

/** Whether the head declares a longer body than allowed. */
const isDeclaredTooLarge = (received: ReceivedRequest, limit: number): boolean =>
  hasBody(received) && Number(received.headers.get('content-length')) > limit

function declaredBody(received: ReceivedRequest, limit: number): DeclaredBody {
  if (!hasBody(received)) return { atMostBytes: 0 }
  if (isBuffered(received)) return { atMostBytes: received.body.length }
  const declared = received.headers.get('content-length')
  return { atMostBytes: declared === undefined ? limit : Math.min(Number(declared), limit) }
}

/**
 * Which other origins' scripts may read a route's responses (Fetch §3.3): all, or the origins that the request's client
 * registered. No response is shared with credentials, because no endpoint trusts cookies alone.
 */
export type CrossOrigin = 'any_origin' | AllowsOrigin

/** Whether the client of a request may run at the origin. If it throws, the origin is not allowed. */
export type AllowsOrigin = (origin: string, request: ServerRequest) => Promise<boolean>

/** Whether a browser asks which requests another origin's script may send (Fetch §3.3.2). */
const isPreflight = ({ method, headers }: RequestHead): boolean =>
  method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method')

/**
 * Creates the same response to every preflight. A preflight identifies no client, so it cannot be checked against
 * registered origins. The response to the request itself says whether the script may read it.
 */
const preflightResponse = (methods: readonly string[]): ServerResponse => ({
  status: 204,
  headers: [
    ['Access-Control-Allow-Origin', '*'],
    ['Access-Control-Allow-Methods', allowHeader(methods)[1]],
    // Fetch §3.3.5: the asterisk allows all headers except Authorization.
    ['Access-Control-Allow-Headers', 'Authorization, *'],
    // Two hours, the maximum of Chromium.
    ['Access-Control-Max-Age', '7200'],
  ],
  body: undefined,
})

/** The header that lets the scripts of all origins read a response. */
const allowAllOrigins: readonly Header[] = [['Access-Control-Allow-Origin', '*']]

/** Returns the headers that let only the script of a registered origin read a response. */
function crossOriginHeaders(
  allows: AllowsOrigin,
  request: ServerRequest,
): readonly Header[] | Promise<readonly Header[]> {
  const origin = request.headers.get('origin')
  return origin === undefined || origin === request.url.origin ? varyOrigin : headersFor(origin, allows, request)
}

async function headersFor(origin: string, allows: AllowsOrigin, request: ServerRequest): Promise<readonly Header[]> {
  if (!(await isAllowed(origin, allows, request))) return varyOrigin
  return [
    ['Access-Control-Allow-Origin', origin],
    // RFC 6750 §3: the challenge says what is wrong with the token. RFC 9449 §8: the nonce for the next DPoP proof.
    ['Access-Control-Expose-Headers', 'WWW-Authenticate, Retry-After, DPoP-Nonce, X-Correlation-Id'],
    ...varyOrigin,
  ]
}

async function isAllowed(origin: string, allows: AllowsOrigin, request: ServerRequest): Promise<boolean> {
  try {
    return await allows(origin, request)
  } catch {
    // The request is malformed, or storage is down. The endpoint has answered with an error; no origin may read it.
    return false
  }
}

/** Fetch §3.3.7: a cache must not return one origin's response to another. */
const varyOrigin: readonly Header[] = [['Vary', 'Origin']]
