import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import express, { type ErrorRequestHandler } from 'express'
import { auth, requiredScopes, UnauthorizedError } from 'express-oauth2-jwt-bearer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { basic, obtainTokens, token } from '../support/flow.ts'
import { send, type Reply } from '../support/send.ts'
import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'

const forApi = { scope: 'openid api.read', resource: 'https://api.test' }

let site: ServerUnderTest
let api: Server
beforeAll(async () => {
  site = await startLoopbackServer()
  api = createServer(protectedApi(site.issuer))
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await new Promise((resolve) => api.close(resolve))
  await site.close()
})

describe('an API behind express-oauth2-jwt-bearer', () => {
  it('accepts an access token with the scope (RFC 9068 §4)', async () => {
    const tokens = await obtainTokens(site, forApi)

    const reply = await callApi('/things', tokens['access_token'])

    expect(reply.status).toBe(200)
    expect(reply.json).toEqual({ subject: 'U1', client: 'A' })
  })

  it('accepts a machine client (RFC 6749 §4.4)', async () => {
    const form = { grant_type: 'client_credentials', resource: 'https://api.test' }
    const issued = await token(site, form, { authorization: basic('M', site.clients.M.secret) })

    const reply = await callApi('/things', String(issued.json['access_token']))

    expect(reply.json).toEqual({ subject: 'M', client: 'M' })
  })

  it('answers 403 insufficient_scope to a token with another scope (RFC 6750 §3.1)', async () => {
    const tokens = await obtainTokens(site, forApi)

    const reply = await callApi('/things/write', tokens['access_token'])

    expect(reply.status).toBe(403)
    expect(reply.header('www-authenticate')).toContain('error="insufficient_scope"')
  })

  it('answers 401 to an ID token (RFC 9068 §2.1)', async () => {
    const tokens = await obtainTokens(site, forApi)

    const reply = await callApi('/things', tokens['id_token'])

    expect(reply.status).toBe(401)
    expect(reply.header('www-authenticate')).toContain('error="invalid_token"')
  })

  it('answers 401 to a token for another audience (RFC 9068 §4)', async () => {
    const tokens = await obtainTokens(site)

    const reply = await callApi('/things', tokens['access_token'])

    expect(reply.status).toBe(401)
  })

  it('answers 401 to an expired token (RFC 6750 §3.1)', async () => {
    site.clock.advance(-3600)
    const tokens = await obtainTokens(site, forApi)
    site.clock.advance(3600)

    const reply = await callApi('/things', tokens['access_token'])

    expect(reply.status).toBe(401)
    expect(reply.header('www-authenticate')).toContain('error="invalid_token"')
  })
})

/** Creates an API as the library's documentation shows; `strict` requires a token according to RFC 9068. */
function protectedApi(issuer: string): express.Express {
  const answerError: ErrorRequestHandler = (error: unknown, _request, response, next) => {
    if (error instanceof UnauthorizedError) response.status(error.status).set(error.headers).end()
    else next(error)
  }
  return express()
    .use(auth({ issuerBaseURL: issuer, audience: 'https://api.test', strict: true }))
    .get('/things', requiredScopes('api.read'), (request, response) => {
      response.json({ subject: request.auth?.payload.sub, client: request.auth?.payload['client_id'] })
    })
    .get('/things/write', requiredScopes('api.write'), (_request, response) => void response.end())
    .use(answerError)
}

const callApi = (path: string, bearer: string | undefined): Promise<Reply> =>
  send((api.address() as AddressInfo).port, { path, headers: { authorization: `Bearer ${bearer}` } })
