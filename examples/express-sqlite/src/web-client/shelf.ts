import { fileURLToPath } from 'node:url'

import { Router, type Request, type Response as ExpressResponse } from 'express'

import { booksApi } from '../clients.ts'
import { html, htmlDocument, pageHeaders } from '../site/html.ts'
import { problemOf, type SignInFlow } from './sign-in-flow.ts'
import type { WebSessions } from './web-sessions.ts'

interface ShelfDependencies {
  readonly issuer: string
  readonly flow: SignInFlow
  readonly sessions: WebSessions
  readonly startSignIn: (
    options: Parameters<SignInFlow['start']>[0],
    request: Request,
    response: ExpressResponse,
  ) => Promise<void>
}

/**
 * Creates a page that calls an API several times a second, and turns red when the API refuses: the kill switch, to watch.
 * Opening the page starts the sign-in.
 */
export function createShelf({ issuer, flow, sessions, startSignIn }: ShelfDependencies): Router {
  const url = new URL(`${booksApi(issuer)}/books`)
  const signIn = (request: Request, response: ExpressResponse): Promise<void> =>
    startSignIn(
      { scope: 'openid profile books.read offline_access', responseMode: 'query', returnTo: '/web/shelf' },
      request,
      response,
    )

  /** Calls the API. If it refuses the access token, gets a new one with the refresh token, and calls once more. */
  const readBooks = async (request: Request, response: ExpressResponse): Promise<ShelfState> => {
    const session = sessions.read(request)
    if (session.signIn === undefined) return { state: 'refused', detail: 'This app has no token.' }
    const answer = await flow.call(session.signIn, url)
    if (answer.ok) return { state: 'works', ...((await answer.json()) as Books) }
    if (answer.status !== 401) return { state: 'refused', detail: `The API responds with ${answer.status}.` }
    try {
      const refreshed = await flow.refresh(session.signIn)
      sessions.save({ ...session, signIn: refreshed }, request, response)
      const second = await flow.call(refreshed, url)
      if (second.ok) return { state: 'works', ...((await second.json()) as Books) }
      return { state: 'refused', detail: `The API responds with ${second.status}.` }
    } catch (error) {
      const { code } = problemOf(error)
      return {
        state: 'refused',
        detail: `The API refuses the access token (401), and the server refuses the refresh token (${code}).`,
      }
    }
  }

  return Router()
    .get('/', async (request, response) => {
      if (!sessions.read(request).signIn?.scopes.includes('books.read')) return signIn(request, response)
      for (const [name, value] of pageHeaders) response.setHeader(name, value)
      return response.type('html').send(shelfPage)
    })
    .post('/again', signIn)
    .get('/books', async (request, response) => {
      response.set('Cache-Control', 'no-store').json(await readBooks(request, response))
    })
    .get('/shelf.mjs', (_request, response) => response.sendFile(fileURLToPath(new URL('shelf.mjs', import.meta.url))))
}

/** The response of the API. */
interface Books {
  readonly reader: string
  readonly books: readonly string[]
}

type ShelfState = ({ readonly state: 'works' } & Books) | { readonly state: 'refused'; readonly detail: string }

const shelfPage = htmlDocument(
  'Shelf · Reading Room',
  html`<header>
<p class="eyebrow"><a href="/">Mintmark example</a></p>
<h1>Reading Room: your shelf</h1>
<p>This page calls an API with your access token several times a second. Put it beside
<a href="/console" target="_blank">the administration</a>, and deactivate the user there, or revoke the grant of Reading Room.</p>
</header>
<div class="lamp" id="lamp" role="status"><p id="state">Calling the API …</p><p class="fine" id="detail"></p></div>
<form class="actions" method="post" action="/web/shelf/again"><button type="submit">Sign in again</button></form>
<script type="module" src="/web/shelf/shelf.mjs"></script>`,
)
