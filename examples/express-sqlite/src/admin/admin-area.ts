import { AdminError, type Administrations, type Actor } from '@mintmark/admin'
import { requireSameOrigin, type AuthorizationServer, type CookieSessions } from '@mintmark/core'
import {
  createRouter,
  type Endpoint,
  type HttpService,
  type Logger,
  type PathRoute,
  redirect,
  type RenderError,
  type ServerRequest,
  type ServerResponse,
} from '@mintmark/core/http'

import { isAdministrator } from '../demo-users.ts'
import { html, htmlDocument, htmlResponse } from '../site/html.ts'
import type { Users } from '../starter.ts'
import { adminSections, adminResponse, type AdminPage } from './admin-page.ts'
import { confirmed } from './confirmation.ts'
import { handleClientAction, clientPage, clientsPage } from './client-pages.ts'
import { eventsPage, type RecentLines } from './events-page.ts'
import { handleProviderAction, providerPage, providersPage } from './provider-pages.ts'
import { userPage, handleUserAction, usersPage } from './user-pages.ts'

interface AdminAreaDependencies {
  readonly server: AuthorizationServer
  readonly sessions: CookieSessions
  readonly users: Users
  readonly administrations: Administrations
  readonly recent: RecentLines
  readonly logger: Logger
}

/** The admin console below /admin: pages without scripts, for the administrator only. */
export function createAdminArea(deps: AdminAreaDependencies): HttpService {
  const { server, logger } = deps
  const guarded = forAdministrators(deps)
  const renderError: RenderError = (error, request) => {
    if (!(error instanceof AdminError)) return server.renderError(error, request)
    const refusal = `${request.method} ${request.url.pathname} refused: ${error.status} (${error.reason})`
    logger[error.status >= 500 ? 'error' : 'warn']({ reason: error.reason, cause: error.cause }, refusal)
    return refusalPage(error, signInAddress(request))
  }
  const route = (path: string, page: AdminPage, handleAction?: AdminPage): PathRoute => ({
    path,
    methods: { GET: guarded(page), ...(handleAction && { POST: guarded(confirmed(handleAction)) }) },
    renderError,
  })

  return createRouter({
    origin: server.origin,
    bodyLimit: server.bodyLimit,
    tooLarge: () => server.tooLarge(),
    routes: [
      route('/admin', overviewPage),
      route('/admin/clients', clientsPage),
      route('/admin/client', clientPage, handleClientAction),
      route('/admin/providers', providersPage),
      route('/admin/provider', providerPage, handleProviderAction),
      route('/admin/accounts', usersPage),
      route('/admin/account', userPage, handleUserAction),
      route('/admin/events', eventsPage(deps)),
    ],
    notFound: () => refusalPage(new AdminError('path_not_found')),
    methodNotAllowed: () => refusalPage(new AdminError('method_not_allowed')),
  })
}

interface AdministratorDependencies {
  readonly sessions: CookieSessions
  readonly users: Users
  readonly administrations: Administrations
}

/**
 * Restricts a page to the administrator. Each request reads the session from storage, so a revoked session or a
 * deactivated user is refused at once.
 * @throws OAuthError access_denied — reason `cross_site_post`; AdminError `not_an_administrator`.
 */
const forAdministrators =
  ({ sessions, users, administrations }: AdministratorDependencies) =>
  (page: AdminPage): Endpoint =>
  async (request) => {
    requireSameOrigin(request)
    const signedIn = await sessions.signedIn(request)
    const user = signedIn && users.find(signedIn.subject)
    if (user === undefined && request.method === 'GET') return redirect(signInAddress(request))
    if (user === undefined || !isAdministrator(user)) {
      // RFC 9110 §15.5.4: nobody is signed in, or the signed-in user is not the administrator.
      throw new AdminError('not_an_administrator', { detail: 'Only the administrator, ada, may open this page.' })
    }
    const actor: Actor = { kind: 'person', id: user.subject }
    return page({ request, actor, admin: administrations.as(actor) })
  }

/** Returns the address of the sign-in page, which returns to this page of the console. */
const signInAddress = ({ url }: Pick<ServerRequest, 'url'>): string =>
  `/sign-in?${new URLSearchParams({ return_to: url.pathname + url.search }).toString()}`

/** The start page of the console. */
const overviewPage: AdminPage = async () =>
  adminResponse({
    title: 'Administration',
    section: undefined,
    intro: html`Only the administrator can open these pages. The audit log records each action, and who requested it, before the
action is carried out.`,
    body: html`<section aria-labelledby="parts">
<h2 id="parts">What you can administer</h2>
<ul class="choices">${adminSections.map(
      ([path, name, description]) =>
        html`<li><a href="${path}"><strong>${name}</strong><span>${description}</span></a></li>`,
    )}</ul>
</section>`,
  })

/** Shows why a request was refused, without the navigation of the console: the reader may not be the administrator. */
const refusalPage = ({ status, reason, detail }: AdminError, signIn = '/sign-in?return_to=/admin'): ServerResponse =>
  htmlResponse(
    htmlDocument(
      'Refused · Administration',
      html`<header>
<p class="eyebrow"><a href="/">Mintmark example</a></p>
<h1>The request was refused</h1>
</header>
<div class="notice" role="alert">
<p>${detail}</p>
<p class="fine">Code: <code>${reason}</code></p>
</div>
<p class="actions">${reason === 'not_an_administrator' ? html`<a href="${signIn}">Sign in as ada</a>` : html`<a href="/admin">Go to the administration</a>`}</p>`,
    ),
    status,
  )
