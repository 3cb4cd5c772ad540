import { createAdminServer, logAdminEvents } from '@mintmark/admin'
import { type ConsoleEvent, createConsole, createDirectorySetup } from '@mintmark/console'
import type { AuthorizationServer, CookieSessions, StoredKeyRing } from '@mintmark/core'
import type { HttpService, Logger } from '@mintmark/core/http'
import type { AdminStorage } from '@mintmark/storage-interface'

import { isAdministrator } from './demo-users.ts'
import type { Users } from './starter.ts'

interface AdministrationDependencies {
  readonly issuer: string
  readonly storage: AdminStorage
  readonly keys: StoredKeyRing
  readonly server: AuthorizationServer
  readonly sessions: CookieSessions
  readonly users: Users
  readonly logger: Logger
}

/**
 * Creates the administration API and its console, for the administrator only, and the page on which a customer's IT sets
 * up a directory.
 */
export async function createAdministrationServers(deps: AdministrationDependencies): Promise<readonly HttpService[]> {
  const { issuer, storage, keys, server, sessions, users, logger } = deps
  const administrators = (await users.list()).filter(isAdministrator).map(({ subject }) => `id eq "${subject}"`)
  const admin = createAdminServer({
    issuer,
    storage,
    keys,
    clientRules: server.clientRules,
    lastAdministrators: { ...(administrators.length > 0 && { administrators: administrators.join(' or ') }) },
    onEvent: logAdminEvents(logger),
    // Each request reads the session from storage, so a session that was revoked is refused at once.
    async authorize(request) {
      const signedIn = await sessions.signedIn(request)
      const user = signedIn && (await users.find(signedIn.subject))
      if (user === undefined) return undefined
      return {
        actor: { kind: 'person', id: user.subject },
        name: `${user.givenName} ${user.familyName}`,
        scopes: isAdministrator(user) ? ['admin:write'] : [],
      }
    },
  })
  const branding = { productName: 'Mintmark example' }
  const onEvent = (event: ConsoleEvent) =>
    logger[event.status >= 500 ? 'error' : 'warn'](
      event,
      `${event.method} ${event.path} refused: ${event.status} (${event.reason})`,
    )
  const adminConsole = createConsole({
    admin,
    branding,
    signInUrl: (returnTo) => `/sign-in?${new URLSearchParams({ return_to: returnTo }).toString()}`,
    onEvent,
  })
  const directorySetup = createDirectorySetup({ admin, branding, contact: 'support@example.com', onEvent })
  return [admin, adminConsole, directorySetup]
}
