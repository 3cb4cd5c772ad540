import { AdminError, type Administrations, type Actor } from '@mintmark/admin'
import { requireSameOrigin, type AuthorizationServer, type CookieSessions } from '@mintmark/core'
import {
  createRouter,
  type Endpoint,
  type HttpService,
  type Logger,
  type PathRoute,
  type RenderError,
  type ServerResponse,
} from '@mintmark/core/http'

import { isAdministrator } from '../demo-users.ts'
import { html, htmlDocument, htmlResponse } from '../site/html.ts'
import type { Users } from '../starter/users.ts'
import { adminParts, adminResponse, type AdminPage } from './admin-page.ts'
import { actOnClient, clientPage, clientsPage } from './client-pages.ts'
import { eventsPage, type RecentLines } from './events-page.ts'
import { actOnProvider, providerPage, providersPage } from './provider-pages.ts'
import { accountPage, actOnAccount, accountsPage } from './user-pages.ts'

interface AdminAreaDependencies {
  readonly server: AuthorizationServer
  readonly sessions: CookieSessions
  readonly users: Users
  readonly administrations: Administrations
  readonly recent: RecentLines
  readonly logger: Logger
}

/** The admin console below /admin: pages without scripts, for the administrator only. */
export function adminArea(deps: AdminAreaDependencies): HttpService {
  const { server, logger } = deps
  const guarded = forAdministrators(deps)
  const renderError: RenderError = (error, request) => {
    if (!(error instanceof AdminError)) return server.renderError(error, request)
    const refusal = `${request.method} ${request.url.pathname} refused: ${error.status} (${error.reason})`
    logger[error.status >= 500 ? 'error' : 'warn']({ reason: error.reason, cause: error.cause }, refusal)
    return refusalPage(error)
  }
  const route = (path: string, page: AdminPage, act?: AdminPage): PathRoute => ({
    path,
    methods: { GET: guarded(page), ...(act && { POST: guarded(act) }) },
    renderError,
  })

  return createRouter({
    origin: server.origin,
    bodyLimit: server.bodyLimit,
    tooLarge: () => server.tooLarge(),
    routes: [
      route('/admin', overviewPage),
      route('/admin/clients', clientsPage),
      route('/admin/client', clientPage, actOnClient),
      route('/admin/providers', providersPage),
      route('/admin/provider', providerPage, actOnProvider),
      route('/admin/accounts', accountsPage),
      route('/admin/account', accountPage, actOnAccount),
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
 * Restricts a page to the administrator. Every request reads the session from storage, so a session that was revoked or a
 * user who was deactivated is refused at once.
 * @throws OAuthError access_denied — reason `cross_site_post`; AdminError `not_an_administrator`.
 */
const forAdministrators =
  ({ sessions, users, administrations }: AdministratorDependencies) =>
  (page: AdminPage): Endpoint =>
  async (request) => {
    requireSameOrigin(request)
    const signedIn = await sessions.signedIn(request)
    const user = signedIn && users.find(signedIn.subject)
    if (user === undefined || !isAdministrator(user)) {
      // RFC 9110 §15.5.4: nobody is signed in, or another user is.
      const detail = 'Only the administrator may come here. Sign in to one of the apps as ada first.'
      throw new AdminError('not_an_administrator', { detail })
    }
    const actor: Actor = { kind: 'person', id: user.subject }
    return page({ request, actor, admin: administrations.as(actor) })
  }

/** The start page of the console. */
const overviewPage: AdminPage = async () =>
  adminResponse({
    title: 'Administration',
    part: undefined,
    intro: html`For the administrator alone. Every act is written down with who did it, before it is done.`,
    body: html`<section aria-labelledby="parts">
<h2 id="parts">What there is to administer</h2>
<ul class="choices">${adminParts.map(
      ([path, name, what]) => html`<li><a href="${path}"><strong>${name}</strong><span>${what}</span></a></li>`,
    )}</ul>
</section>`,
  })

/** Shows why a request was refused. It shows nothing of the console, because the reader may not be the administrator. */
const refusalPage = ({ status, reason, detail }: AdminError): ServerResponse =>
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
<p class="actions">${reason === 'not_an_administrator' ? html`<a href="/">To the apps</a>` : html`<a href="/admin">To the administration</a>`}</p>`,
    ),
    status,
  )
