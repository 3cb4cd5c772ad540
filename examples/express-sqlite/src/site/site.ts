import { fileURLToPath } from 'node:url'

import { toExpressEndpoint } from '@mintmark/adapter-express'
import { requireSameOrigin, type AuthorizationServer, type CookieSessions } from '@mintmark/core'
import { redirect, type Endpoint } from '@mintmark/core/http'
import { providerId, type ScimStorage } from '@mintmark/storage-interface'
import express, { Router } from 'express'

import { demoProviderId, type ProviderCredentials } from '../identity-provider.ts'
import type { Users } from '../starter.ts'
import { htmlResponse, pageHeaders } from './html.ts'
import { homePage } from './home-page.ts'
import { provisionedPage } from './provisioned-page.ts'

interface SiteDependencies {
  readonly server: AuthorizationServer
  readonly sessions: CookieSessions
  readonly users: Users
  readonly storage: ScimStorage
  readonly provider: ProviderCredentials
  /** The sign-in page of the site itself. */
  readonly signIn: Endpoint
  /** The page on which users add and remove their passkeys. */
  readonly passkeys: Endpoint
}

/** Creates the host's other pages: home page, provisioned users, sign-out, and the files of the public client. */
export function createSite({ server, sessions, users, storage, provider, signIn, passkeys }: SiteDependencies): Router {
  const home: Endpoint = async (request) => {
    const signedIn = await sessions.signedIn(request)
    const user = signedIn && (await users.find(signedIn.subject))
    return htmlResponse(homePage(user))
  }
  const provisioned: Endpoint = async () => {
    const firstHundred = { kind: 'index', offset: 0, limit: 100 } as const
    const list = await storage.provisionedUsers.list({
      providerId: providerId(demoProviderId),
      filter: undefined,
      sort: undefined,
      page: firstHundred,
    })
    return htmlResponse(provisionedPage(list, provider))
  }
  const signOut: Endpoint = async (request) => {
    // Other sites must not sign users out.
    requireSameOrigin(request)
    // The home page shows that nobody is signed in.
    return redirect('/', await sessions.end(request))
  }
  // The server renders errors only for its own endpoints, so these endpoints of the host call the renderer.
  const endpoint = (handle: Endpoint) =>
    toExpressEndpoint(server, (request) =>
      handle(request).catch((error: unknown) => server.renderError(error, request)),
    )

  return Router()
    .get('/', endpoint(home))
    .get('/provisioned', endpoint(provisioned))
    .all('/sign-in', endpoint(signIn))
    .all('/passkeys', endpoint(passkeys))
    .post('/sign-out', endpoint(signOut))
    .get('/style.css', (_request, response) => response.sendFile(fileURLToPath(new URL('style.css', import.meta.url))))
    .use('/spa', (_request, response, next) => {
      response.setHeaders(new Headers(pageHeaders.map(([name, value]): [string, string] => [name, value])))
      next()
    })
    .use('/spa', express.static(fileURLToPath(new URL('../spa-client', import.meta.url)), { cacheControl: false }))
}
