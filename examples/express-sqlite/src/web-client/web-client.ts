import express, { Router, type Request as ExpressRequest } from 'express'

import type { WebClientCredentials } from '../clients.ts'
import { pageHeaders } from '../site/html.ts'
import { problemOf, unknownState, signInFlow } from './sign-in-flow.ts'
import { webPage } from './web-page.ts'
import { webSessions } from './web-sessions.ts'

/**
 * A web app that signs people in with openid-client, over HTTP. It shares a process with the server and nothing else: it
 * could run anywhere.
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

  // The answer comes in the query or as a posted form. The cookie comes along with that form because server and client
  // share a site here; a client on another site would need a cookie with SameSite=None.
  router.all('/callback', async (request, response) => {
    const session = sessions.of(request)
    const answer = answerOf(request, options.issuer)
    const state =
      request.method === 'POST' ? fieldsOf(request).get('state') : new URL(answer.url).searchParams.get('state')
    const started = session.started.find((one) => one.state === state)
    const rest = { ...session, started: session.started.filter((one) => one !== started), problem: undefined }
    try {
      if (started === undefined) throw unknownState()
      sessions.saveRenamed({ ...rest, person: await flow.finish(answer, started) }, request, response)
    } catch (error) {
      sessions.save({ ...rest, problem: problemOf(error) }, request, response)
    }
    response.redirect(303, '/web/')
  })

  router.post('/refresh', async (request, response) => {
    const session = sessions.of(request)
    try {
      const person = session.person && (await flow.refresh(session.person))
      sessions.save({ ...session, person }, request, response)
    } catch (error) {
      sessions.save({ ...session, person: undefined, problem: problemOf(error) }, request, response)
    }
    response.redirect(303, '/web/')
  })

  router.post('/sign-out', async (request, response) => {
    const { person } = sessions.of(request)
    sessions.saveRenamed({ started: [], person: undefined, problem: undefined }, request, response)
    if (person !== undefined) await flow.revoke(person)
    response.redirect(303, '/web/')
  })

  return router
}

const fieldsOf = (request: ExpressRequest): URLSearchParams =>
  new URLSearchParams(typeof request.body === 'string' ? request.body : '')

/** The server's answer as the web's own kind of request, which openid-client reads. */
const answerOf = (request: ExpressRequest, issuer: string): Request =>
  new Request(
    new URL(request.originalUrl, issuer),
    request.method === 'POST' ? { method: 'POST', body: fieldsOf(request) } : { method: 'GET' },
  )

const mostTabs = 10
