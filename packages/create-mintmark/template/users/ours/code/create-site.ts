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
import { passkeySignIn } from '#passkey-sign-in'
import { askPasskeys } from '#passkeys-page'
import { forgetRemoved, keepPassword } from '#provisioned-users'
import { basePath, renderingErrors, type Site, type SiteOptions } from '#site'
import { createTryIt } from '#try-it'
import type { Users } from '#users'

/**
 * Creates the authorization server, the SCIM server and your pages.
 * @throws Error if the stored signing keys were sealed with another key.
 */
export async function createSite(options: SiteOptions & { readonly users: Users }): Promise<Site> {
  const { issuer, storage, users, sealingKey, tryKey, logger, fetch } = options
  const sessions = createCookieSessions({ storage })
  const onEvent = logEvents(logger)
  const attempts = limitSignIns({ onEvent })
  const browsers = knownBrowsers({ issuer, key: sealingKey })
  const passkeyParts = { issuer, key: sealingKey, users }
  const signInParts = { users, sessions, attempts, browsers, passkeys: passkeySignIn(passkeyParts) }
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys: createStoredKeys({ storage, sealingKey }),
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
  const forget = forgetRemoved(users)
  const log = logScimEvents(logger)
  const scim = createScimServer({
    issuer,
    storage,
    password: keepPassword(users, storage),
    onEvent: async (event) => {
      log(event)
      await forget(event)
    },
  })

  const base = basePath(issuer)
  return {
    server,
    health: createHealth({ server }),
    services: [server, scim],
    pages: renderingErrors(server, {
      [`${base}/`]: async (request) => homePage({ base, signedIn: await sessions.signedIn(request), passkeys: true }),
      [`${base}/sign-in`]: askSiteSignIn(signInParts),
      [`${base}/passkeys`]: askPasskeys({ ...passkeyParts, sessions }),
      ...createTryIt({ issuer, key: tryKey, sessions, users, fetch }),
    }),
  }
}
