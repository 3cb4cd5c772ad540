import { createAuthorizationServer, createStoredKeys, type StoredKeyRing } from '@mintmark/core'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { authorize, basic, encode } from '../support/flow.ts'
import { plainPost, plainRequest } from '../support/plain-request.ts'
import { expectErrorRedirect } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { introspect, refresh, serviceToken, tokensFor, tokensOf, userinfo } from '../support/token-calls.ts'

const day = 86_400
/** In seconds: how long another process may not know a new key, and how long a copy of /jwks may be outdated. */
const [staleness, maxAge] = [5, 300]

let site: ServerUnderTest
/** The key ring of another process, such as the command line. */
let admin: StoredKeyRing

const anotherRing = (): StoredKeyRing =>
  createStoredKeys({
    storage: site.storage,
    sealingKey: Buffer.alloc(32, 7).toString('base64url'),
    clock: site.clock.now,
  })

beforeEach(async () => {
  site = await startServer()
  admin = anotherRing()
})
afterEach(() => site.close())

const keySet = async (): Promise<JSONWebKeySet> => (await site.send({ path: '/jwks' })).json as unknown as JSONWebKeySet
const publishedKeyIds = async (): Promise<readonly unknown[]> => (await keySet()).keys.map(({ kid }) => kid)
const keyIdOf = (jwt: string): string | undefined => decodeProtectedHeader(jwt).kid
const accessToken = async (): Promise<string> => tokensOf(await serviceToken(site)).access_token

const isVerifiedBy = async (jwt: string, keys: JSONWebKeySet): Promise<boolean> => {
  const currentDate = new Date(site.clock.now() * 1000)
  return jwtVerify(jwt, createLocalJWKSet(keys), { currentDate }).then(
    () => true,
    () => false,
  )
}

describe('scheduled key rotation', () => {
  it('publishes the next key under a new ETag, and does not sign with it while a cache may lack it (OIDC Core §10.1.1)', async () => {
    const before = await site.send({ path: '/jwks' })
    site.clock.advance(89 * day)

    const { algorithms } = await admin.rotate()
    site.clock.advance(staleness)

    const during = await site.send({ path: '/jwks', headers: { 'if-none-match': before.header('etag') ?? '' } })
    const keyIds = (during.json['keys'] as { kid: string }[]).map(({ kid }) => kid)
    expect([during.status, during.header('cache-control')]).toEqual([200, `public, max-age=${maxAge}`])
    expect(keyIds).toHaveLength(4)
    expect(keyIds).toEqual(expect.arrayContaining(algorithms.map(({ keyId }) => keyId)))
    expect(algorithms.map(({ keyId }) => keyId)).not.toContain(keyIdOf(await accessToken()))
  })

  it('a reader that caches /jwks for as long as allowed verifies every token through a year of rotations (OIDC Core §10.1.1)', async () => {
    const keyIds = new Set<string | undefined>()
    const unverified: string[] = []

    for (let time = 0; time < 365; time += 1) {
      await admin.rotate()
      const copy = await keySet()
      site.clock.advance(maxAge)
      const token = await accessToken()
      keyIds.add(keyIdOf(token))
      if (!(await isVerifiedBy(token, copy))) unverified.push(`day ${time}`)
      if ((await introspect(site, token, 'M')).json['active'] !== true) unverified.push(`day ${time} by introspection`)
      site.clock.advance(day - maxAge)
    }

    expect(unverified).toEqual([])
    expect(keyIds.size).toBe(5)
    expect((await admin.list()).filter(({ state }) => state === 'signing')).toHaveLength(2)
  })

  it('publishes a retired key for 14 days after its last signature, and not longer (OIDC Core §10.1.1)', async () => {
    const { id_token: hint, access_token: token } = await tokensFor(site, 'A')
    const keyId = keyIdOf(hint)
    await admin.rotate({ when: 'now' })
    site.clock.advance(day - 1)
    await accessToken()

    site.clock.advance(1)
    const fresh = await tokensFor(site, 'A')
    expect(keyIdOf(fresh.id_token)).not.toBe(keyId)
    expect(keyIdOf(fresh.access_token)).not.toBe(keyIdOf(token))
    site.clock.advance(14 * day - 1)
    expect(await publishedKeyIds()).toContain(keyId)
    site.clock.advance(1)
    expect(await publishedKeyIds()).not.toContain(keyId)
  })

  it('accepts an ID token as a hint for 180 days after its key has signed, and not longer (OIDC Core §3.1.2.1)', async () => {
    const { id_token: hint } = await tokensFor(site, 'A')
    await admin.rotate({ when: 'now' })
    site.clock.advance(181 * day - 1)

    const { location } = await authorize(site, { id_token_hint: hint })
    expect(location.searchParams.get('error')).toBeNull()

    site.clock.advance(1)
    await expectErrorRedirect(
      site,
      { error: 'invalid_request' },
      { send: () => authorize(site, { id_token_hint: hint }), reason: 'id_token_hint_invalid' },
    )
  })

  it('a token verified before is still accepted after a key is added', async () => {
    const { access_token: token } = await tokensFor(site, 'A')
    expect((await userinfo(site, token)).status).toBe(200)

    await admin.rotate({ when: 'now' })
    site.clock.advance(staleness)

    expect((await userinfo(site, token)).status).toBe(200)
    expect((await introspect(site, token)).json['active']).toBe(true)
  })
})

describe('a key that is dropped in an emergency', () => {
  /** U1's tokens, verified once to fill the verification caches. */
  const verifiedTokens = async () => {
    const tokens = await tokensFor(site, 'A')
    expect((await userinfo(site, tokens.access_token)).status).toBe(200)
    expect((await introspect(site, tokens.access_token)).json['active']).toBe(true)
    return tokens
  }

  const expectRefused = async (token: string): Promise<void> => {
    const before = site.dump()
    const [described, claims] = [await introspect(site, token), await userinfo(site, token)]

    expect(described.json).toEqual({ active: false })
    expect([claims.status, claims.json['error'], site.lastReason()]).toEqual([
      401,
      'invalid_token',
      'access_token_invalid',
    ])
    expect(site.dump()).toBe(before)
  }

  it('is no longer published, used or accepted at the next request to the process that dropped it (RFC 9700 §2.2)', async () => {
    const { access_token: token, refresh_token: refreshToken } = await verifiedTokens()
    const keyId = keyIdOf(token) ?? ''

    await (site.keys as StoredKeyRing).drop(keyId)

    expect(await publishedKeyIds()).not.toContain(keyId)
    await expectRefused(token)
    const renewed = await refresh(site, refreshToken)
    const { access_token: next } = tokensOf(renewed)
    expect([renewed.status, keyIdOf(next) === keyId]).toEqual([200, false])
    expect(await isVerifiedBy(next, await keySet())).toBe(true)
    expect((await userinfo(site, next)).status).toBe(200)
  })

  it('is no longer published, used or accepted by a server in another process after five seconds', async () => {
    const { access_token: token } = await verifiedTokens()
    const keyId = keyIdOf(token) ?? ''

    await admin.drop(keyId)
    site.clock.advance(staleness)

    expect(await publishedKeyIds()).not.toContain(keyId)
    await expectRefused(token)
    expect(keyIdOf(await accessToken())).not.toBe(keyId)
  })

  it('leaves two servers on one storage with one new key that both publish and accept', async () => {
    const { access_token: token } = await verifiedTokens()
    const second = createAuthorizationServer({
      issuer: site.issuer,
      storage: site.storage,
      keys: anotherRing(),
      clock: site.clock.now,
      signedIn: () => Promise.resolve(undefined),
    })
    const read = async (): Promise<unknown> =>
      JSON.parse(String((await second.handle(plainRequest(site.issuer, { path: '/jwks' }))).body))
    await read()

    await admin.drop(keyIdOf(token) ?? '')
    site.clock.advance(staleness)
    const next = await serviceToken(site)

    expect(await read()).toEqual(await keySet())
    const body = encode({ token: tokensOf(next).access_token })
    const answer = await second.handle(
      plainPost(site.issuer, '/token/introspection', {
        body,
        headers: { authorization: basic('M', site.clients.M.secret) },
      }),
    )
    expect(JSON.parse(String(answer.body))).toMatchObject({ active: true, client_id: 'M' })
  })
})
