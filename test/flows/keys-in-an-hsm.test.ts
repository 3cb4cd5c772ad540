import { createStoredKeys, type StoredKeyRing } from '@mintmark/core'
import { epochSeconds, type AdminStorage } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { obtainCode, redeem } from '../support/flow.ts'
import { startHsm, type Hsm } from '../support/hsm.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { introspect, serviceToken, tokensFor, tokensOf, userinfo } from '../support/token-calls.ts'

const issuer = 'https://as.test'

let hsm: Hsm
let storage: AdminStorage
let keys: StoredKeyRing
let site: ServerUnderTest

beforeEach(async () => {
  hsm = startHsm()
  storage = createMemoryStorage({ issuer })
  keys = createStoredKeys({
    storage,
    vault: hsm.vault,
    issuerSecret: Buffer.alloc(32, 9).toString('base64url'),
    algorithms: ['ES256'],
    clock: () => site?.clock.now() ?? epochSeconds(1_790_000_000),
  })
  site = await startServer({ keys })
})
afterEach(async () => {
  await site.close()
  await hsm.stop()
})

const keySet = async (): Promise<JSONWebKeySet> => (await site.send({ path: '/jwks' })).json as unknown as JSONWebKeySet

describe('keys in an HSM, in a process of its own', () => {
  it('sign every token of a sign-in, and a reader of the key set verifies them (RFC 7515 §5.1)', async () => {
    const before = hsm.signatures()

    const tokens = await tokensFor(site, 'A')

    const options = { issuer, currentDate: new Date(site.clock.now() * 1000) }
    const reader = createLocalJWKSet(await keySet())
    expect(hsm.pid).not.toBe(process.pid)
    expect(hsm.signatures() - before).toBe(2)
    expect((await jwtVerify(tokens.access_token, reader, { ...options, typ: 'at+jwt' })).payload.sub).toBe('U1')
    expect((await jwtVerify(tokens.id_token, reader, { ...options, audience: 'A' })).payload.sub).toBe('U1')
    expect((await userinfo(site, tokens.access_token)).status).toBe(200)
  })

  it('leave no part of their private keys in storage or in the key set (RFC 7517 §9.2)', async () => {
    const { keys: published } = await keySet()
    const [record] = await storage.signingKeys.list()

    expect(record?.vaultEntry).toBe('hsm-key-1')
    expect(Object.keys(record?.publicJwk ?? {}).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    expect(published).toEqual([record?.publicJwk])
  })

  it('rotates and drops a key in the HSM like any other key (OIDC Core §10.1.1)', async () => {
    const first = tokensOf(await serviceToken(site)).access_token
    const { algorithms } = await keys.rotate({ when: 'now' })
    site.clock.advance(86_400)
    const second = tokensOf(await serviceToken(site)).access_token
    expect(decodeProtectedHeader(second).kid).toBe(algorithms[0]?.keyId)

    await keys.drop(decodeProtectedHeader(second).kid ?? '')

    const third = tokensOf(await serviceToken(site)).access_token
    expect(new Set([first, second, third].map((token) => decodeProtectedHeader(token).kid)).size).toBe(3)
    expect((await introspect(site, second, 'M')).json).toEqual({ active: false })
    expect((await introspect(site, third, 'M')).json['active']).toBe(true)
  })

  it('an unreachable HSM is an outage, and tokens signed before are still accepted (RFC 9110 §15.6.4)', async () => {
    const tokens = await tokensFor(site, 'A')
    const code = await obtainCode(site)

    await hsm.stop()
    const [service, user] = [await serviceToken(site), await redeem(site, code)]

    for (const reply of [service, user]) {
      expect([reply.status, reply.json['error']]).toEqual([503, 'temporarily_unavailable'])
      expect(Number(reply.header('retry-after'))).toBeGreaterThan(0)
      expect(reply.text).not.toContain('HSM')
    }
    expect(site.lastReason()).toBe('storage_unavailable')
    expect((await introspect(site, tokens.access_token)).json['active']).toBe(true)
    expect((await userinfo(site, tokens.access_token)).status).toBe(200)
    expect((await keySet()).keys).toHaveLength(1)
  })
})
