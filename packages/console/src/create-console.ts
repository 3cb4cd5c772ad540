import { type HttpService, redirect, type ServerRequest, type ServerResponse, withHeaders } from '@mintmark/core/http'
import {
  aFunction,
  allowHeader,
  anObject,
  anObjectWith,
  aStringMatching,
  checkOptions,
  createService,
  type Exchange,
  type Journal,
  listOf,
  matchPatterns,
  oneOf,
  type OptionChecks,
  required,
  type Route,
} from '@mintmark/internal'
import { type Brand, type BrandingOptions, closestLanguage, createBrand } from '@mintmark/pages/internal'

import { type AdminServer, connectApi } from './api.ts'
import { readCaller } from './caller.ts'
import { refusalPage } from './refusal-page.ts'
import { catalogues, type ConsoleLanguage } from './languages/catalogues.ts'
import { english } from './languages/english.ts'
import type { Messages } from './languages/messages.ts'
import { consolePage } from './layout.ts'
import { openJournal, refusedRequest, requireOwnPage, textsIn } from './own-requests.ts'
import { ApiError, ConsoleError, type ConsoleEvent, type ConsoleOccurrence, refuse } from './refusals.ts'
import { routes, sectionsFor } from './routes.ts'
import type { Caller, ConsoleRoute, PageContent, Visit } from './visit.ts'

/** The options of `createConsole`. */
interface ConsoleOptions {
  /**
   * The administration API. The console sends each request to it, with the cookies of the browser, so its option
   * `authorize` must be set: it decides who is an administrator.
   */
  readonly admin: AdminServer
  /**
   * Returns the address of the host's sign-in page, which returns to `returnTo`, a path with a query.
   * @defaultValue None. Visitors who are not signed in see a page that says so.
   */
  readonly signInUrl?: (returnTo: string) => string
  /**
   * The path of the console, below the issuer.
   * @defaultValue `/console`. It is beside the administration API.
   */
  readonly path?: string
  /**
   * The name, logo and colours of the product, as for `createPages`.
   * @defaultValue None. The pages are green.
   */
  readonly branding?: BrandingOptions
  /**
   * The languages that the pages choose from. Administrators who prefer none of them get the first.
   * @defaultValue All languages, English first. Few people read the console, so its texts may be large.
   */
  readonly languages?: readonly ConsoleLanguage[]
  /**
   * Called for every request that the console itself refused. The administration API has events of its own.
   * @defaultValue Writes internal failures to the console of the process. Refusals could fill a log.
   */
  readonly onEvent?: (event: ConsoleEvent) => void | Promise<void>
}

/**
 * Creates the administration console: pages without scripts, which an adapter serves beside the other servers.
 * @throws TypeError if an option is invalid, or if the administration API cannot authenticate browsers.
 */
export function createConsole(options: ConsoleOptions): HttpService {
  checkOptions('createConsole', options, optionChecks)
  const { admin, path = '/console', branding } = options
  if (!admin.authenticatesBrowsers)
    throw new TypeError(
      'createConsole: admin needs the option authorize of createAdminServer, which says who is signed in.',
    )
  if (`${path}/`.startsWith('/admin/v1/') || '/admin/v1/'.startsWith(`${path}/`))
    throw new TypeError('createConsole: path must not contain /admin/v1, the path of the administration API.')
  const root = new URL(admin.issuer + path)
  const deps: Dependencies = {
    ...options,
    root,
    brand: branding && createBrand(branding),
    catalogues: textsIn(options.languages, catalogues, english),
    journal: openJournal('console', options.onEvent),
  }

  return createService<Caller, RouteMatch | undefined>({
    origin: root.origin,
    bodyLimit: 65_536,
    tooLarge: (exchange) => renderError(refuse('message_too_large'), exchange, deps),
    serves: (requested) => requested === root.pathname || requested.startsWith(`${root.pathname}/`),
    find: ({ url }) => findRoute(url.pathname, deps),
    authenticate: async (request) => {
      // The API repeats the check.
      requireOwnPage(request)
      return readCaller(connectApi(admin, request))
    },
    authorize({ caller, route }) {
      const needed = route?.details?.route
      // RFC 6750 §3.1: the administration API would refuse the request too.
      if (needed?.area !== undefined && caller?.can(needed.access, needed.area) !== true) throw refuse('scope_missing')
    },
    notFound: (exchange) => renderError(refuse('page_not_found'), exchange, deps),
    methodNotAllowed: (methods, exchange) =>
      withHeaders(renderError(refuse('method_not_allowed'), exchange, deps), [allowHeader(methods)]),
    renderError: (error, exchange) => renderError(error, exchange, deps),
  })
}

const optionChecks: OptionChecks<ConsoleOptions> = {
  admin: required(anObjectWith('handle')),
  signInUrl: aFunction,
  path: aStringMatching(/^(?:\/[A-Za-z0-9._~-]+)+$/, 'must be a path such as /console, without a slash at the end'),
  branding: anObject,
  languages: listOf(oneOf(...Object.keys(catalogues))),
  onEvent: aFunction,
}

interface Dependencies extends ConsoleOptions {
  /** The address of the first page. */
  readonly root: URL
  readonly brand: Brand | undefined
  readonly catalogues: readonly [Messages, ...(readonly Messages[])]
  readonly journal: Journal<ConsoleOccurrence>
}

/** A page for a path, with the parts of the path. */
interface RouteMatch {
  readonly route: ConsoleRoute
  readonly parts: ReadonlyMap<string, string>
}

type ConsoleExchange = Exchange<Caller, RouteMatch | undefined>

function findRoute(path: string, deps: Dependencies): Route<Caller, RouteMatch | undefined> {
  const below = path.slice(deps.root.pathname.length).replace(/\/$/, '')
  const [match] = matchPatterns(below, routes)
  if (match === undefined) return { methods: undefined, template: undefined, details: undefined }
  const { pattern: route, parts } = match
  const answerWith = (page: ConsoleRoute['get']) => (request: ServerRequest, caller: Caller) =>
    page(visitOf(request, { caller, parts, deps }))
  return {
    methods: new Map([
      ['GET', answerWith(route.get)],
      ...(route.post ? [['POST', answerWith(route.post)] as const] : []),
    ]),
    template: deps.root.pathname + route.path,
    details: { route, parts },
  }
}

function visitOf(
  request: ServerRequest,
  {
    caller,
    parts,
    deps,
  }: { readonly caller: Caller; readonly parts: RouteMatch['parts']; readonly deps: Dependencies },
): Visit {
  const messages = closestLanguage(deps.catalogues, [], request)
  const link = (path: string) => deps.root.href + path
  const show = ({ title, section, body, status = 200 }: PageContent): ServerResponse =>
    consolePage({
      brand: deps.brand,
      messages,
      title,
      status,
      body,
      navigation: { name: caller.name, current: section, sections: sectionsFor(caller, link) },
    })
  return {
    request,
    caller,
    messages,
    link,
    show,
    api: connectApi(deps.admin, request),
    part: (name) => parts.get(name) ?? '',
  }
}

/** Renders a refusal of the console or of the administration API. Visitors who are not signed in are sent to sign in. */
function renderError(error: unknown, { request, caller }: ConsoleExchange, deps: Dependencies): ServerResponse {
  const { journal, root, brand, signInUrl } = deps
  const refusal =
    error instanceof ConsoleError || error instanceof ApiError ? error : refuse('unexpected_failure', { cause: error })
  if (refusal instanceof ConsoleError)
    journal.record(request, refusedRequest(refusal, { method: request.method, path: request.url.pathname }))
  const returnTo = request.url.pathname + request.url.search
  const signIn = signInUrl?.(request.method === 'GET' ? returnTo : root.pathname)
  const isSignedOut = refusal instanceof ConsoleError && refusal.reason === 'not_signed_in'
  if (isSignedOut && signIn !== undefined && request.method === 'GET') return redirect(signIn)
  return withHeaders(
    refusalPage(refusal, {
      messages: closestLanguage(deps.catalogues, [], request),
      brand,
      home: root.href,
      signIn: signIn && new URL(signIn, root).href,
      navigation: caller && {
        name: caller.name,
        current: undefined,
        sections: sectionsFor(caller, (path) => root.href + path),
      },
      reference: journal.correlationIdOf(request),
    }),
    [journal.correlationHeader(request)],
  )
}
