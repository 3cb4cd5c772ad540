import {
  createAuthorizationServer,
  createCookieSessions,
  createHealth,
  createStoredKeys,
  limitSignIns,
  logEvents,
} from '@mintmark/core'
import { createScimServer, logScimEvents } from '@mintmark/scim'

import { homePage } from '#home-page'
import { knownBrowsers } from '#known-browser'
import { askAccount, askConsent, askSignIn, askSiteSignIn, errorPage, logoutPage } from '#pages'
import { basePath, renderingErrors, type Site, type SiteOptions } from '#site'
import { createTryIt } from '#try-it'
import { toHostUsers, type Users } from '#users'

/**
 * Creates the authorization server, the SCIM server and your pages.
 * @throws Error if the stored signing keys were sealed with another key.
 */
export async function createSite(options: SiteOptions & { readonly users: Users }): Promise<Site> {
  const { issuer, storage, users, sealingKey, tryKey, logger, fetch } = options
  // Mintmark reads your table whenever something depends on a user, and keeps no copy of it.
  const hostUsers = toHostUsers(users)
  const sessions = createCookieSessions({ storage, users: hostUsers })
  const onEvent = logEvents(logger)
  const attempts = limitSignIns({ onEvent })
  const browsers = knownBrowsers({ issuer, key: sealingKey })
  const signInParts = { users, sessions, attempts, browsers }
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys: createStoredKeys({ storage, sealingKey }),
    users: hostUsers,
    signedIn: sessions.signedIn,
    logout: { endSession: sessions.end, renderPage: logoutPage },
    pages: {
      login: askSignIn(signInParts),
      selectAccount: askAccount,
      consent: askConsent({ users }),
    },
    renderErrorPage: errorPage,
    onEvent,
  })
  await server.ready()
  // Users whom a directory provisions can sign in when your table has a row whose `subject` is their identifier.
  const scim = createScimServer({ issuer, storage, onEvent: logScimEvents(logger) })

  const base = basePath(issuer)
  return {
    server,
    health: createHealth({ server }),
    services: [server, scim],
    pages: renderingErrors(server, {
      [`${base}/`]: async (request) => homePage({ base, signedIn: await sessions.signedIn(request), passkeys: false }),
      [`${base}/sign-in`]: askSiteSignIn(signInParts),
      ...createTryIt({ issuer, key: tryKey, sessions, users, fetch }),
    }),
  }
}
