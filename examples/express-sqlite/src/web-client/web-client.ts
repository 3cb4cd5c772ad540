import express, { Router, type Request as ExpressRequest } from 'express'

import type { WebClientCredentials } from '../clients.ts'
import { pageHeaders } from '../site/html.ts'
import { problemOf, unknownState, signInFlow } from './sign-in-flow.ts'
import { webPage } from './web-page.ts'
import { webSessions } from './web-sessions.ts'

/**
 * A web app that signs users in with openid-client, over HTTP. It runs in the process of the server for convenience only.
 */
export function webClient(options: WebClientCredentials & { readonly issuer: string }): Router {
  const flow = signInFlow(options)
  const sessions = webSessions(options.issuer.startsWith('https:'))
  const router = Router().use(express.text({ type: 'application/x-www-form-urlencoded' }))

  router.get('/', (request, response) => {
    const session = sessions.of(request)
    if (session.problem !== undefined) sessions.save({ ...session, problem: undefined }, request, response)
    for (const [name, value] of pageHeaders) response.setHeader(name, value)
    response.type('html').send(webPage(session))
  })

  router.post('/sign-in', async (request, response) => {
    const wishes = fieldsOf(request)
    const { url, ...started } = await flow.start({
      scope: ['openid', 'profile', ...wishes.getAll('scope')].join(' '),
      responseMode: wishes.get('response_mode') ?? 'query',
    })
    const session = sessions.of(request)
    sessions.save({ ...session, started: [started, ...session.started].slice(0, mostTabs) }, request, response)
    response.redirect(303, url.href)
  })

  // The response is in the query or in a posted form. The browser sends the cookie with that form because server and client
  // are on one site; a client on another site would need a cookie with SameSite=None.
  router.all('/callback', async (request, response) => {
    const session = sessions.of(request)
    const answer = answerOf(request, options.issuer)
    const state =
      request.method === 'POST' ? fieldsOf(request).get('state') : new URL(answer.url).searchParams.get('state')
    const started = session.started.find((one) => one.state === state)
    const rest = { ...session, started: session.started.filter((one) => one !== started), problem: undefined }
    try {
      if (started === undefined) throw unknownState()
      sessions.saveRenamed({ ...rest, signIn: await flow.finish(answer, started) }, request, response)
    } catch (error) {
      sessions.save({ ...rest, problem: problemOf(error) }, request, response)
    }
    response.redirect(303, '/web/')
  })

  router.post('/refresh', async (request, response) => {
    const session = sessions.of(request)
    try {
      const signIn = session.signIn && (await flow.refresh(session.signIn))
      sessions.save({ ...session, signIn }, request, response)
    } catch (error) {
      sessions.save({ ...session, signIn: undefined, problem: problemOf(error) }, request, response)
    }
    response.redirect(303, '/web/')
  })

  router.post('/sign-out', async (request, response) => {
    const { signIn } = sessions.of(request)
    sessions.saveRenamed({ started: [], signIn: undefined, problem: undefined }, request, response)
    if (signIn !== undefined) await flow.revoke(signIn)
    response.redirect(303, '/web/')
  })

  router.post('/sign-out-everywhere', async (request, response) => {
    const { signIn } = sessions.of(request)
    sessions.saveRenamed({ started: [], signIn: undefined, problem: undefined }, request, response)
    response.redirect(303, signIn === undefined ? '/web/' : (await flow.signOut(signIn)).href)
  })

  return router
}

const fieldsOf = (request: ExpressRequest): URLSearchParams =>
  new URLSearchParams(typeof request.body === 'string' ? request.body : '')

/** Converts the request to the callback to a `Request`, which openid-client reads. */
const answerOf = (request: ExpressRequest, issuer: string): Request =>
  new Request(
    new URL(request.originalUrl, issuer),
    request.method === 'POST' ? { method: 'POST', body: fieldsOf(request) } : { method: 'GET' },
  )

const mostTabs = 10
