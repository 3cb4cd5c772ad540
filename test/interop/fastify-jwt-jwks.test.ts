import fastify, { type FastifyInstance } from 'fastify'
import { fastifyJwtJwks } from 'fastify-jwt-jwks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { obtainTokens } from '../support/flow.ts'
import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'

const forApi = { scope: 'openid api.read', resource: 'https://api.test' }

let site: ServerUnderTest
let api: FastifyInstance
beforeAll(async () => {
  // The plugin supports RS256 and EdDSA; the server prefers ES256.
  site = await startLoopbackServer({ accessTokenAlgorithm: 'RS256' })
  api = fastify()
  await api.register(fastifyJwtJwks, {
    jwksUrl: `${site.issuer}/jwks`,
    issuer: site.issuer,
    audience: 'https://api.test',
  })
  api.get('/things', { preValidation: api.authenticate }, (request) => Promise.resolve(request.user))
  await api.ready()
})
afterAll(async () => {
  await api.close()
  await site.close()
})

describe('an API behind fastify-jwt-jwks', () => {
  it('accepts an access token for its audience (RFC 9068 §4)', async () => {
    const tokens = await obtainTokens(site, forApi)

    const reply = await callApi(tokens['access_token'])

    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toMatchObject({ iss: site.issuer, sub: 'U1', client_id: 'A', scope: 'openid api.read' })
  })

  it.each([
    ['an access token for another audience (RFC 9068 §4)', {}, 'access_token'],
    ['an ID token (OIDC Core §2)', forApi, 'id_token'],
  ])('answers 401 to %s', async (_title, request, kind) => {
    const tokens = await obtainTokens(site, request)

    const reply = await callApi(tokens[kind])

    expect(reply.statusCode).toBe(401)
  })

  it('answers 401 to an expired access token (RFC 7519 §4.1.4)', async () => {
    site.clock.advance(-3600)
    const tokens = await obtainTokens(site, forApi)
    site.clock.advance(3600)

    const reply = await callApi(tokens['access_token'])

    expect(reply.statusCode).toBe(401)
    expect(reply.json()).toMatchObject({ message: 'Expired token.' })
  })
})

const callApi = (bearer: string | undefined) =>
  api.inject({ path: '/things', headers: { authorization: `Bearer ${bearer}` } })
