import { toExpress, toExpressEndpoint } from '@mintmark/adapter-express'
import {
  createAuthorizationServer,
  createCookieSessions,
  createHealth,
  createStoredKeys,
  limitSignIns,
  logEvents,
} from '@mintmark/core'
import type { Endpoint, Logger } from '@mintmark/core/http'
import { createScimServer, logScimEvents } from '@mintmark/scim'
import type { ScimStorage } from '@mintmark/storage-interface'
import express, { type Express } from 'express'

import { homePage } from './home-page.ts'
import { knownBrowsers } from './known-browser.ts'
import { askAccount, askConsent, askSignIn, askSiteSignIn, errorPage, logoutPage } from './pages.ts'
import { passkeySignIn } from './passkey-sign-in.ts'
import { askPasskeys } from './passkeys-page.ts'
import { createTryIt } from './try-it.ts'
import type { Users } from './users.ts'
import { forgetRemoved, keepPassword } from './provisioned-users.ts'

export interface AppOptions {
  readonly storage: ScimStorage
  readonly users: Users
  readonly sealingKey: string
  /** The proxies that are trusted to report the browser's IP address, as a list for Express. */
  readonly trustedProxies: string
  readonly logger: Logger
}

/**
 * Creates your app with the authorization server and the SCIM server.
 * @throws Error if the stored signing keys were sealed with another key.
 */
export async function createApp({ storage, users, sealingKey, trustedProxies, logger }: AppOptions): Promise<Express> {
  const { issuer } = storage
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
    onEvent: (event) => {
      forget(event)
      log(event)
    },
  })

  const app = express().disable('x-powered-by')
  app.set('trust proxy', trustedProxies)
  // Before express.json() and other body parsers. /health and /ready are for load balancers.
  app.use(toExpress(createHealth({ server }), server, scim))
  const endpoint = (handle: Endpoint) =>
    toExpressEndpoint(server, (request) =>
      handle(request).catch((error: unknown) => server.renderError(error, request)),
    )
  app.all('/sign-in', endpoint(askSiteSignIn(signInParts)))
  app.all('/passkeys', endpoint(askPasskeys({ ...passkeyParts, sessions })))
  app.get(
    '/',
    endpoint(async (request) => homePage(await sessions.signedIn(request))),
  )
  app.use('/try', createTryIt(issuer))
  return app
}
