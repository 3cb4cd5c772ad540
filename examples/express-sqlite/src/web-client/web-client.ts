import express, { Router, type Request as ExpressRequest, type Response as ExpressResponse } from 'express'

import type { WebClientCredentials } from '../clients.ts'
import { pageHeaders } from '../site/html.ts'
import { problemOf, createUnknownStateError, createSignInFlow } from './sign-in-flow.ts'
import { createShelf } from './shelf.ts'
import { webPage } from './web-page.ts'
import { createWebSessions } from './web-sessions.ts'

/**
 * Creates a web app that signs users in with openid-client, over HTTP. It runs in the same process as the server only for
 * convenience.
 */
export function createWebClient(options: WebClientCredentials & { readonly issuer: string }): Router {
  const flow = createSignInFlow(options)
  const sessions = createWebSessions({ secureCookie: options.issuer.startsWith('https:') })
  const router = Router().use(express.text({ type: 'application/x-www-form-urlencoded' }))

  router.get('/', (request, response) => {
    const session = sessions.read(request)
    if (session.problem !== undefined) sessions.save({ ...session, problem: undefined }, request, response)
    for (const [name, value] of pageHeaders) response.setHeader(name, value)
    response.type('html').send(webPage(session))
  })

  const startSignIn = async (
    options: Parameters<typeof flow.start>[0],
    request: ExpressRequest,
    response: ExpressResponse,
  ): Promise<void> => {
    const { url, ...started } = await flow.start(options)
    const session = sessions.read(request)
    sessions.save({ ...session, started: [started, ...session.started].slice(0, maxStartedSignIns) }, request, response)
    response.redirect(303, url.href)
  }

  router.post('/sign-in', async (request, response) => {
    const form = fieldsOf(request)
    const scope = ['openid', 'profile', ...form.getAll('scope')].join(' ')
    const responseMode = form.get('response_mode') ?? 'query'
    await startSignIn({ scope, responseMode, returnTo: '/web/' }, request, response)
  })

  // The response is in the query or in a posted form. The browser sends the cookie with that form because server and
  // client are on the same site. A client on another site would need a cookie with SameSite=None.
  router.all('/callback', async (request, response) => {
    const session = sessions.read(request)
    const callback = toCallbackRequest(request, options.issuer)
    const state =
      request.method === 'POST' ? fieldsOf(request).get('state') : new URL(callback.url).searchParams.get('state')
    const started = session.started.find((signIn) => signIn.state === state)
    const ended = { ...session, started: session.started.filter((signIn) => signIn !== started), problem: undefined }
    try {
      if (started === undefined) throw createUnknownStateError()
      sessions.saveWithNewId({ ...ended, signIn: await flow.finish(callback, started) }, request, response)
      response.redirect(303, started.returnTo)
    } catch (error) {
      sessions.save({ ...ended, problem: problemOf(error) }, request, response)
      response.redirect(303, '/web/')
    }
  })

  router.use('/shelf', createShelf({ issuer: options.issuer, flow, sessions, startSignIn }))

  router.post('/refresh', async (request, response) => {
    const session = sessions.read(request)
    try {
      const signIn = session.signIn && (await flow.refresh(session.signIn))
      sessions.save({ ...session, signIn }, request, response)
    } catch (error) {
      sessions.save({ ...session, signIn: undefined, problem: problemOf(error) }, request, response)
    }
    response.redirect(303, '/web/')
  })

  router.post('/sign-out', async (request, response) => {
    const { signIn } = sessions.read(request)
    sessions.saveWithNewId({ started: [], signIn: undefined, problem: undefined }, request, response)
    if (signIn !== undefined) await flow.revoke(signIn)
    response.redirect(303, '/web/')
  })

  router.post('/sign-out-everywhere', async (request, response) => {
    const { signIn } = sessions.read(request)
    sessions.saveWithNewId({ started: [], signIn: undefined, problem: undefined }, request, response)
    response.redirect(303, signIn === undefined ? '/web/' : (await flow.signOut(signIn)).href)
  })

  return router
}

const fieldsOf = (request: ExpressRequest): URLSearchParams =>
  new URLSearchParams(typeof request.body === 'string' ? request.body : '')

/** Converts the request to the redirect URI to a `Request`, which openid-client reads. */
const toCallbackRequest = (request: ExpressRequest, issuer: string): Request =>
  new Request(
    new URL(request.originalUrl, issuer),
    request.method === 'POST' ? { method: 'POST', body: fieldsOf(request) } : { method: 'GET' },
  )

const maxStartedSignIns = 10
