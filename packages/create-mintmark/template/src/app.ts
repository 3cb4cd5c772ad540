import { toExpress } from '@mintmark/adapter-express'
import { createCookieSessions, createAuthorizationServer, logEvents, createStoredKeys } from '@mintmark/core'
import type { Logger } from '@mintmark/core/http'
import { errorPage } from '@mintmark/pages'
import { createScimServer, logScimEvents } from '@mintmark/scim'
import type { ScimStorage } from '@mintmark/storage-interface'
import express, { type Express } from 'express'

import { knownBrowsers } from './known-browser.ts'
import { limitAddresses } from './limit-addresses.ts'
import { askConsent, askSignIn } from './pages.ts'
import type { People } from './people.ts'
import { forgetRemoved, keepPassword } from './provisioned-people.ts'

export interface AppOptions {
  readonly storage: ScimStorage
  readonly people: People
  readonly sealingKey: string
  readonly logger: Logger
}

/** Your app, with the authorization server and SCIM in it. */
export function createApp({ storage, people, sealingKey, logger }: AppOptions): Express {
  const { issuer } = storage
  const sessions = createCookieSessions({ storage })
  const browsers = knownBrowsers({ issuer, key: sealingKey })
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys: createStoredKeys({ storage, sealingKey }),
    signedIn: sessions.signedIn,
    pages: { login: askSignIn({ people, sessions, browsers }), consent: askConsent({ people }) },
    renderErrorPage: errorPage,
    onEvent: logEvents(logger),
  })
  const forget = forgetRemoved(people)
  const log = logScimEvents(logger)
  const scim = createScimServer({
    issuer,
    storage,
    password: keepPassword(people, storage),
    onEvent: (event) => {
      forget(event)
      log(event)
    },
  })

  const app = express().disable('x-powered-by')
  // A proxy that stands in another network: name its address too, or all that comes through it counts as one sender.
  app.set('trust proxy', 'loopback, linklocal, uniquelocal')
  app.use(limitAddresses(server))
  app.use(toExpress(server, scim)) // in front of express.json() and other body parsers
  app.get('/', (_request, response) => void response.send('It works: your own pages go here.'))
  return app
}
