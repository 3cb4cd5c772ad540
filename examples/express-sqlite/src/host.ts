import { join } from 'node:path'

import { toExpress } from '@mintmark/adapter-express'
import { keepRequestLog } from '@mintmark/admin'
import {
  createCookieSessions,
  createAuthorizationServer,
  createStoredKeys,
  limitSignIns,
  logEvents,
} from '@mintmark/core'
import type { Logger } from '@mintmark/core/http'
import { createScimServer, logScimEvents } from '@mintmark/scim'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import express, { type Express } from 'express'

import { createAdministrationServers } from './administration.ts'
import { createBooksApi } from './books-api.ts'
import { booksApi, registerBooksApi, registerSpaClient, registerWebClient } from './clients.ts'
import { createMintmarkUsers, seedUsers } from './demo-users.ts'
import { registerDemoProvider, type ProviderCredentials } from './identity-provider.ts'
import {
  askAccount,
  askConsent,
  askPasskeys,
  askSignIn,
  askSiteSignIn,
  errorPage,
  forgetRemoved,
  keepPassword,
  knownBrowsers,
  logoutPage,
  openTables,
  openUsers,
  passkeySignIn,
} from './starter.ts'
import { sealingKeyFrom } from './private-file.ts'
import { createSite } from './site/site.ts'
import { createWebClient } from './web-client/web-client.ts'

export interface HostOptions {
  /** The address of the app, such as http://localhost:3000. */
  readonly issuer: string
  /** An existing folder for everything that must survive a restart. */
  readonly dataFolder: string
  readonly logger: Logger
}

/** The host application. */
export interface Host {
  readonly app: Express
  /** Whether the data folder was new. */
  readonly isFirstRun: boolean
  /** The settings to paste into the demo directory. */
  readonly provider: ProviderCredentials
  close(): Promise<void>
}

/** Creates a host application that embeds Mintmark and has its own users and pages. */
export async function createHost({ issuer, dataFolder, logger }: HostOptions): Promise<Host> {
  const tables = openTables(join(dataFolder, 'users.db'))
  const users = await openUsers({ tables })
  const dialect = openSqliteDialect(join(dataFolder, 'mintmark.db'), { migrate: 'on-open' })
  const storage = await createSqlStorage({ dialect, issuer })
  const sealingKey = await sealingKeyFrom(join(dataFolder, 'sealing-key'))

  // Embed Mintmark.
  const sessions = createCookieSessions({ storage })
  const onEvent = logEvents(logger)
  const attempts = limitSignIns({ onEvent })
  const browsers = knownBrowsers({ issuer, key: sealingKey })
  const passkeyParts = { issuer, key: sealingKey, users }
  const signInParts = { users, sessions, attempts, browsers, passkeys: passkeySignIn(passkeyParts) }
  const keys = createStoredKeys({ storage, sealingKey })
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys,
    signedIn: sessions.signedIn,
    logout: { endSession: sessions.end, renderPage: logoutPage },
    pages: {
      login: askSignIn(signInParts),
      selectAccount: askAccount,
      consent: askConsent({ users }),
    },
    renderErrorPage: errorPage,
    scopes: { 'books.read': 'See the books on your shelf' },
    resources: { [booksApi(issuer)]: { name: 'Books', scopes: ['books.read'] } },
    revocationFeed: true,
    onEvent,
  })
  await server.ready()
  const forget = forgetRemoved(users)
  const log = logScimEvents(logger)
  const scim = createScimServer({
    issuer,
    storage,
    accessTokens: server,
    password: keepPassword(users, storage),
    onEvent: async (event) => {
      log(event)
      await forget(event)
    },
    onRequest: keepRequestLog({ storage }),
  })
  const app = express().disable('x-powered-by').use(toExpress(server, scim))

  // Create the example's data: users, two clients, and a directory that may provision more users.
  const isFirstRun = await seedUsers(users)
  await createMintmarkUsers(users, storage)
  await registerSpaClient(storage)
  const credentials = await registerWebClient(storage, join(dataFolder, 'web-client.json'))
  const apiCredentials = await registerBooksApi(storage, join(dataFolder, 'books-api.json'))
  const provider = await registerDemoProvider(storage, join(dataFolder, 'identity-provider.json'))
  app.use(toExpress(...(await createAdministrationServers({ issuer, storage, keys, server, sessions, users, logger }))))
  const signIn = askSiteSignIn(signInParts)
  const passkeys = askPasskeys({ ...passkeyParts, sessions })
  app.use(createSite({ server, sessions, users, storage, provider, signIn, passkeys }))
  app.use(createBooksApi({ issuer, credentials: apiCredentials, users }))
  app.use('/web', createWebClient({ issuer, ...credentials }))

  return {
    app,
    isFirstRun,
    provider,
    async close() {
      await dialect.close()
      tables.close()
    },
  }
}
