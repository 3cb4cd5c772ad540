import { fileURLToPath } from 'node:url'

import { toExpressEndpoint } from '@mintmark/adapter-express'
import { requireSameOrigin, type AuthorizationServer, type CookieSessions } from '@mintmark/core'
import { redirect, type Endpoint, type ServerResponse } from '@mintmark/core/http'
import express, { Router } from 'express'

import type { People } from '../people.ts'
import { pageHeaders } from './document.ts'
import { homePage } from './home-page.ts'

interface SiteDependencies {
  readonly server: AuthorizationServer
  readonly sessions: CookieSessions
  readonly people: People
}

/** The host's own pages besides signing in: the home page, signing out, and the files of the single-page client. */
export function site({ server, sessions, people }: SiteDependencies): Router {
  const home: Endpoint = async (request) => {
    const signedIn = await sessions.signedIn(request)
    const person = signedIn && people.find(signedIn.subject)
    return page(homePage(person))
  }
  const signOut: Endpoint = async (request) => {
    try {
      // Other sites must not sign people out.
      requireSameOrigin(request)
      // Back to the home page, which shows that nobody is signed in and where to go on.
      return redirect('/', await sessions.end(request))
    } catch (error) {
      // The server renders what is thrown in its own endpoints; this one is the host's, which has to ask for it.
      return server.renderError(error, request)
    }
  }

  return Router()
    .get('/', toExpressEndpoint(server, home))
    .post('/sign-out', toExpressEndpoint(server, signOut))
    .get('/style.css', (_request, response) => response.sendFile(fileURLToPath(new URL('style.css', import.meta.url))))
    .use('/spa', (_request, response, next) => {
      response.setHeaders(new Headers(pageHeaders.map(([name, value]): [string, string] => [name, value])))
      next()
    })
    .use('/spa', express.static(fileURLToPath(new URL('../spa-client', import.meta.url)), { cacheControl: false }))
}

const page = (body: string): ServerResponse => ({
  status: 200,
  headers: [['Content-Type', 'text/html; charset=utf-8'], ...pageHeaders],
  body,
})
