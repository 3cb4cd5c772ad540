import { AdminError, type Administrations } from '@mintmark/admin'
import type { AuthorizationServer, CookieSessions } from '@mintmark/core'
import { createRouter, withHeaders, type HttpService, type Logger, type Route } from '@mintmark/core/http'

import type { People } from '../../../../packages/create-mintmark/template/src/people.ts'
import { accountPage, actOnAccount } from './account-page.ts'
import { accountsPage } from './accounts-page.ts'
import type { AdminPage } from './admin-page.ts'
import { forAdministrators } from './for-administrators.ts'
import { actOnClient, clientPage } from './client-page.ts'
import { clientsPage } from './clients-page.ts'
import { eventsPage } from './events-page.ts'
import { overviewPage } from './overview-page.ts'
import { actOnProvider, providerPage } from './provider-page.ts'
import { providersPage } from './providers-page.ts'
import type { RecentLines } from './recent-lines.ts'
import { refusalPage } from './refusal-page.ts'

interface AdminAreaDependencies {
  readonly server: AuthorizationServer
  readonly sessions: CookieSessions
  readonly people: People
  readonly administrations: Administrations
  readonly recent: RecentLines
  readonly logger: Logger
}

/** Everything below /admin: pages without scripts, for the administrator alone. */
export function adminArea(deps: AdminAreaDependencies): HttpService {
  const { server, logger } = deps
  const guarded = forAdministrators(deps)
  const renderError: Route['renderError'] = (error, request) => {
    if (!(error instanceof AdminError)) return server.renderError(error, request)
    const refusal = `${request.method} ${request.url.pathname} refused: ${error.status} (${error.reason})`
    logger[error.status >= 500 ? 'error' : 'warn']({ reason: error.reason, cause: error.cause }, refusal)
    return refusalPage(error)
  }
  const route = (path: string, page: AdminPage, act?: AdminPage): Route => ({
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
    methodNotAllowed: (allow) => withHeaders(refusalPage(new AdminError('method_not_allowed')), [['Allow', allow]]),
  })
}
