import { generateKeyPair, importJWK, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { postForm } from '../support/flow.ts'
import { readJws, signEs256, signNothing } from '../support/forge-jwt.ts'
import type { Reply } from '../support/send.ts'
import type { ServerUnderTest } from '../support/server-under-test.ts'
import { registerFapiClient, startFapiServer, type FapiClient } from './fapi-client.ts'

// What the modules of the OpenID Foundation's plan for FAPI 2.0 Message Signing add to those for the Security Profile.

let site: ServerUnderTest
let client: FapiClient
let other: FapiClient
beforeAll(async () => {
  site = await startFapiServer()
  const variant = { authentication: 'private_key_jwt', binding: 'dpop', profile: 'fapi2_message_signing' } as const
  client = await registerFapiClient(site, variant, { name: 'first' })
  other = await registerFapiClient(site, variant, { name: 'second', query: '?dummy1=lorem&dummy2=ipsum' })
})
afterAll(() => site.close())

const now = () => site.clock.now()
const refusal = ({ status, json }: Reply): string => `${status} ${String(json['error'])}`

/** Leaves out every parameter except the request object. */
const alone = Object.fromEntries(
  ['response_type', 'redirect_uri', 'scope', 'state', 'nonce', 'code_challenge', 'code_challenge_method'].map(
    (name) => [name, undefined],
  ),
)
const pushObject = async (claims = {}, header = {}, outside = {}) =>
  client.push({ ...alone, ...outside, request: await client.requestObject(claims, header) })

/** Verifies the signed response, which is the only parameter in the query, and returns its claims (JARM §2.3.1). */
async function responseOf({ location }: Reply, audience: string): Promise<Readonly<Record<string, unknown>>> {
  const added = [...location.searchParams.keys()].filter((name) => !name.startsWith('dummy'))
  expect([added, location.hash]).toEqual([['response'], ''])
  const response = location.searchParams.get('response') ?? ''
  const { keys } = (await site.send({ path: '/jwks' })).json as { keys: readonly { readonly kid: string }[] }
  const { kid, alg } = readJws(response).header
  const key = await importJWK(keys.find((each) => each.kid === kid) ?? {}, String(alg))
  const { payload } = await jwtVerify(response, key, {
    issuer: site.issuer,
    audience,
    currentDate: new Date(now() * 1000),
  })
  expect(['PS256', 'ES256', 'EdDSA', 'Ed25519']).toContain(alg)
  expect((payload.exp ?? 0) - now()).toBeGreaterThanOrEqual(10)
  expect((payload.exp ?? 0) - now()).toBeLessThanOrEqual(600)
  return payload
}

describe('a request object of FAPI 2.0 Message Signing', () => {
  it.each([
    ['as usual', {}],
    ['with a list as aud', { aud: ['https://as.test', 'https://other.test'] }],
    ['with nbf eight seconds ahead', { nbf: 1_790_000_008 }],
    ['without state', { state: undefined }],
    ['without nonce', { nonce: undefined }],
  ])('%s gets a signed response and tokens', async (_, claims) => {
    for (const each of [client, other]) {
      const request = await each.requestObject({ response_mode: 'jwt', ...claims })
      const pushed = await each.push({ ...alone, request })
      const answered = await each.allow(await each.visit(pushed.json['request_uri']))
      const { code, state } = await responseOf(answered, each.id)
      const tokens = await each.redeem(String(code))

      expect([pushed.status, tokens.status]).toEqual([201, 200])
      expect(state).toBe('state' in claims ? undefined : 's1')
      expect(readJws(String(tokens.json['id_token'])).payload['nonce']).toBe('nonce' in claims ? undefined : 'n1')
      expect((await each.read(tokens.json['access_token'])).status).toBe(200)
    }
  })

  it.each<[string, object, object?]>([
    ['without exp', { exp: undefined }],
    ['without nbf', { nbf: undefined }],
    ['that has expired', { exp: 1_789_999_700 }],
    ['with another aud', { aud: 'https://other.test' }],
    ['that expires in more than an hour', { exp: 1_790_000_000 + 4200 }],
    ['whose nbf is more than an hour ago', { nbf: 1_790_000_000 - 4200 }],
    ['signed with RS256', {}, { alg: 'RS256' }],
    ['without redirect_uri', { redirect_uri: undefined }],
    ['with a request_uri inside', { request_uri: 'urn:ietf:params:oauth:request_uri:x' }],
  ])('one %s is refused when it is pushed', async (_, claims, header = {}) => {
    expect(['400 invalid_request_object', '400 invalid_request']).toContain(refusal(await pushObject(claims, header)))
  })

  it('one with alg none, a wrong signature, or signed by another client is refused when it is pushed', async () => {
    const stranger = await generateKeyPair('ES256')
    const objects = [
      await client.requestObject({}, { alg: 'none' }, signNothing(1)),
      await client.requestObject({}, {}, async () => new Uint8Array(64)),
      await client.requestObject({}, {}, signEs256(stranger.privateKey)),
      await other.requestObject(),
    ]

    for (const request of objects)
      expect(refusal(await client.push({ ...alone, request }))).toBe('400 invalid_request_object')
  })

  it('a pushed request that is not signed is refused', async () => {
    expect(refusal(await client.push())).toBe('400 invalid_request')
  })

  it('takes state and nonce only from the request object', async () => {
    const pushed = await pushObject({ state: 'inside', nonce: 'inside' }, {}, { state: 'outside', nonce: 'outside' })
    const stateless = await pushObject({ state: undefined }, {}, { state: 'outside' })

    const answered = await client.allow(await client.visit(pushed.json['request_uri'], { state: 'outside' }))
    const without = await client.allow(await client.visit(stateless.json['request_uri'], { state: 'outside' }))

    const { code, state } = await responseOf(answered, client.id)
    expect(state).toBe('inside')
    const { json } = await client.redeem(String(code))
    expect(readJws(String(json['id_token'])).payload['nonce']).toBe('inside')
    expect(await responseOf(without, client.id)).not.toHaveProperty('state')
  })
})

describe('a signed response of FAPI 2.0 Message Signing', () => {
  it('contains the denial of the user', async () => {
    const pushed = await pushObject({ response_mode: 'jwt' })
    const visited = await client.visit(pushed.json['request_uri'])
    const cookie = visited.cookies.map((each) => each.split(';', 1)[0]).join('; ')
    const path = visited.location.pathname + visited.location.search
    const denied = await postForm(site, path, 'deny', { cookie, origin: site.issuer })

    expect(await responseOf(denied, client.id)).toMatchObject({ error: 'access_denied', state: 's1' })
  })

  it('contains an error of the request as well', async () => {
    const pushed = await pushObject({ response_mode: 'jwt', prompt: 'none' })

    const answered = await client.visit(pushed.json['request_uri'])

    expect(await responseOf(answered, client.id)).toMatchObject({ error: 'login_required', state: 's1' })
  })
})
