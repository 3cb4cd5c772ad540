import {
  type HttpService,
  redirect,
  type RequestHead,
  type ServerRequest,
  type ServerResponse,
  withHeaders,
} from '@mintmark/core/http'
import {
  aFunction,
  allowHeader,
  anObject,
  anObjectWith,
  aStringMatching,
  checkOptions,
  createService,
  defineCookie,
  type Exchange,
  type Journal,
  listOf,
  oneOf,
  type OptionChecks,
  required,
} from '@mintmark/internal'
import { address, type Brand, type BrandingOptions, closestLanguage, createBrand, html } from '@mintmark/pages/internal'

import type { AdminServer } from '../api.ts'
import type { ConsoleLanguage } from '../languages/catalogues.ts'
import { framedPage, head } from '../layout.ts'
import { openJournal, refusedRequest, requireOwnPage, textsIn } from '../own-requests.ts'
import { ConsoleError, type ConsoleEvent, type ConsoleOccurrence, refuse } from '../refusals.ts'
import { setupCatalogues } from './languages/catalogues.ts'
import { english } from './languages/english.ts'
import type { SetupMessages } from './languages/messages.ts'
import { setupActions, finishedPage } from './setup-actions.ts'
import { setupPage } from './setup-page.ts'
import { setupRefusalPage } from './setup-refusal-page.ts'
import type { OpenedVisit, SetupVisit } from './setup-visit.ts'

/** The options of `createDirectorySetup`. */
interface DirectorySetupOptions {
  /** The administration API. It creates the links, and its option `setupPath` is the path of the page. */
  readonly admin: AdminServer
  /**
   * Whom to ask for help and for a new link, such as an e-mail address.
   * @defaultValue None. The page says to ask the person who sent the link.
   */
  readonly contact?: string
  /**
   * The name, logo and colours of the product, as for `createPages`.
   * @defaultValue None. The page is green.
   */
  readonly branding?: BrandingOptions
  /**
   * The languages that the page chooses from. Visitors who prefer none of them get the first.
   * @defaultValue All languages, English first. The customers of a product may be anywhere.
   */
  readonly languages?: readonly ConsoleLanguage[]
  /**
   * Called for every request that was refused. Its path does not contain the link.
   * @defaultValue Writes internal failures to the console of the process. Refusals could fill a log.
   */
  readonly onEvent?: (event: ConsoleEvent) => void | Promise<void>
}

/**
 * Creates the page on which the IT of a customer sets up one directory, without an account: whoever has a set-up link.
 * It works without scripts. An adapter serves it beside the other servers.
 * @throws TypeError if an option is invalid.
 */
export function createDirectorySetup(options: DirectorySetupOptions): HttpService {
  checkOptions('createDirectorySetup', options, optionChecks)
  const { admin, branding, languages } = options
  const root = new URL(admin.issuer + admin.setupLinks.path)
  const catalogues = textsIn(languages, setupCatalogues, english)
  const deps: Dependencies = {
    ...options,
    root,
    brand: branding && createBrand(branding),
    catalogues,
    cookie: defineCookie(admin.issuer, 'mintmark-directory-setup'),
    journal: openJournal('directory set-up', options.onEvent),
  }

  return createService<undefined, undefined>({
    origin: root.origin,
    bodyLimit: 4096,
    tooLarge: (exchange) => renderError(refuse('message_too_large'), exchange, deps),
    serves: (requested) => requested === root.pathname || requested.startsWith(`${root.pathname}/`),
    find: (request) => findRoute(request, deps),
    async authenticate(request) {
      requireOwnPage(request)
      return undefined
    },
    notFound: (exchange) => renderError(refuse('page_not_found'), exchange, deps),
    methodNotAllowed: (methods, exchange) =>
      withHeaders(renderError(refuse('method_not_allowed'), exchange, deps), [allowHeader(methods)]),
    renderError: (error, exchange) => renderError(error, exchange, deps),
  })
}

const optionChecks: OptionChecks<DirectorySetupOptions> = {
  admin: required(anObjectWith('handle')),
  contact: aStringMatching(/^[^\p{Cc}]{1,200}$/u, 'must be one line of 1 to 200 characters'),
  branding: anObject,
  languages: listOf(oneOf(...Object.keys(setupCatalogues))),
  onEvent: aFunction,
}

interface Dependencies extends DirectorySetupOptions {
  /** The address of the page. */
  readonly root: URL
  readonly brand: Brand | undefined
  readonly catalogues: readonly [SetupMessages, ...(readonly SetupMessages[])]
  /** Contains what a link was exchanged for. */
  readonly cookie: ReturnType<typeof defineCookie>
  readonly journal: Journal<ConsoleOccurrence>
}

type SetupExchange = Exchange<undefined, undefined>

function findRoute({ url }: RequestHead, deps: Dependencies) {
  const below = url.pathname.slice(deps.root.pathname.length).replace(/\/$/, '')
  const route = (template: string, methods: Readonly<Record<string, Answer>>) => ({
    methods: new Map(
      Object.entries(methods).map(([method, answer]) => [
        method,
        (request: ServerRequest) => answer(visitOf(request, deps)),
      ]),
    ),
    template: deps.root.pathname + template,
    details: undefined,
  })
  const opened = (answer: (visit: OpenedVisit) => Promise<ServerResponse>) => async (visit: SetupVisit) =>
    answer(await openVisit(visit, deps))
  const action = setupActions.get(below)

  if (below === '') return route('', { GET: opened((visit) => setupPage(visit)) })
  // A form was posted here, and its response is loaded again.
  if (action !== undefined)
    return route(below, { GET: (visit) => Promise.resolve(redirect(visit.link(''))), POST: opened(action) })
  if (below === '/finish') return route(below, { POST: opened((visit) => finish(visit, deps)) })
  if (/^\/[^/]+$/.test(below))
    return route('/{link}', {
      GET: (visit) => askToOpen(visit, below),
      POST: (visit) => exchangeLink(visit, below.slice(1), deps),
    })
  return { methods: undefined, template: undefined, details: undefined }
}

type Answer = (visit: SetupVisit) => Promise<ServerResponse>

function visitOf(request: ServerRequest, { root, brand, catalogues, contact }: Dependencies): SetupVisit {
  const messages = closestLanguage(catalogues, [], request)
  return {
    request,
    messages,
    contact,
    link: (path) => root.href + path,
    show: ({ title, body, status = 200, headers = [] }) =>
      withHeaders(framedPage({ brand, messages, title, status, body }), headers),
  }
}

/**
 * Asks before the link is exchanged. Programs that look at links in e-mails send GET, which neither opens the link nor
 * writes to the audit log.
 */
const askToOpen = ({ messages: { open }, link, show }: SetupVisit, path: string): Promise<ServerResponse> =>
  Promise.resolve(
    show({
      title: open.title,
      body: html`${head(open.title)}
<section>
<p>${open.intro}</p>
<form method="post" ${address('action', link(path))}>
<div class="buttons"><button class="primary" type="submit">${open.button}</button></div>
</form>
</section>`,
    }),
  )

/** Exchanges the link for a cookie, so that its secret is in no further address. */
async function exchangeLink(
  { link }: SetupVisit,
  token: string,
  { admin, cookie }: Dependencies,
): Promise<ServerResponse> {
  const session = await admin.setupLinks.exchange(token)
  if (session === undefined) throw refuse('setup_link_invalid')
  return withHeaders(redirect(link('')), [cookie.set(session.value)])
}

async function openVisit(visit: SetupVisit, { admin, cookie }: Dependencies): Promise<OpenedVisit> {
  const value = cookie.read(visit.request)
  const setup = value === undefined ? undefined : await admin.setupLinks.open(value)
  if (setup === undefined) throw refuse('setup_link_invalid')
  return { ...visit, setup }
}

async function finish(visit: OpenedVisit, { cookie }: Dependencies): Promise<ServerResponse> {
  await visit.setup.revokeLink()
  return finishedPage(visit, [cookie.clear()])
}

function renderError(error: unknown, { request, route }: SetupExchange, deps: Dependencies): ServerResponse {
  const { journal, catalogues } = deps
  const refusal = error instanceof ConsoleError ? error : refuse('unexpected_failure', { cause: error })
  // The path of a link contains its secret.
  const path = route?.template ?? deps.root.pathname
  journal.record(request, refusedRequest(refusal, { method: request.method, path }))
  const messages = closestLanguage(catalogues, [], request)
  const reference = journal.correlationIdOf(request)
  return withHeaders(setupRefusalPage(refusal, { ...deps, messages, reference }), [journal.correlationHeader(request)])
}
