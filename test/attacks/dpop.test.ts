import type { RefusalReason } from '@mintmark/core'
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { assertionOf } from '../support/client-assertion.ts'
import { createProofKey, writeProof, type ProofChange, type ProofKey } from '../support/dpop.ts'
import { obtainCode, redeem, verifier, type Change } from '../support/flow.ts'
import { readJws, signHs256, signNothing, setUnusedBits } from '../support/forge-jwt.ts'
import { expectRefusal, expectJsonRefusal } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { authenticateEveryClient, postAs } from '../support/token-calls.ts'
import type { Reply } from '../support/send.ts'

let site: ServerUnderTest
let key: ProofKey
beforeAll(async () => {
  site = await startServer()
  await authenticateEveryClient(site)
  key = await createProofKey()
})
afterAll(() => site.close())

/** Requests a token for the machine client M with this DPoP header. */
const serviceToken = (dpop: string, server = site): Promise<Reply> =>
  postAs(server, 'M', { path: '/token', form: { grant_type: 'client_credentials' }, headers: { dpop } })

describe('a token request with a DPoP proof', () => {
  it('gets a token that is bound to the key of the proof (RFC 9449 §5, §6.1)', async () => {
    const reply = await serviceToken(await writeProof(site, key))

    expect([reply.status, reply.json['token_type']]).toEqual([200, 'DPoP'])
    expect(readJws(String(reply.json['access_token'])).payload['cnf']).toEqual({ jkt: key.jkt })
  })

  it('gets an unbound token without the proof (RFC 6750 §4)', async () => {
    const reply = await postAs(site, 'M', { path: '/token', form: { grant_type: 'client_credentials' } })

    expect([reply.status, reply.json['token_type']]).toEqual([200, 'Bearer'])
    expect(readJws(String(reply.json['access_token'])).payload['cnf']).toBeUndefined()
    expect(reply.header('dpop-nonce')).toBeUndefined()
  })

  it.each<readonly [string, ProofChange]>([
    ['a type in capitals', { header: { typ: 'DPOP+JWT' } }],
    ['a key identifier, which is ignored', { header: { kid: 'x', jku: 'http://127.0.0.1:1/keys' } }],
    ['no changes', { header: {} }],
    [
      'an address with scheme and host in capitals, a port, a query and a fragment',
      { claims: { htu: 'HTTPS://AS.TEST:443/token?x#y' } },
    ],
    ['a clock that is ten seconds slow', { claims: { iat: 1_790_000_000 - 10 } }],
    ['a clock that is ten seconds fast', { claims: { iat: 1_790_000_000 + 10 } }],
    ['a clock that is a minute slow', { claims: { iat: 1_790_000_000 - 60 } }],
    ['an exp and an nbf', { claims: { exp: 1_790_000_000 + 60, nbf: 1_790_000_000 } }],
    ['an unknown claim', { claims: { more: true } }],
  ])('accepts a proof with %s (RFC 9449 §4.3)', async (_case, change) => {
    const reply = await serviceToken(await writeProof(site, key, change))

    expect([reply.status, reply.json['token_type']]).toEqual([200, 'DPoP'])
  })

  it.each(['ES256', 'EdDSA', 'Ed25519', 'PS256'])(
    'accepts a proof that is signed with %s (RFC 9449 §4.2)',
    async (alg) => {
      const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
      const jwk = await exportJWK(publicKey)
      const parameters =
        { ES256: { name: 'ECDSA', hash: 'SHA-256' }, PS256: { name: 'RSA-PSS', saltLength: 32 } }[alg] ?? 'Ed25519'
      const sign = async (bytes: Uint8Array) =>
        new Uint8Array(await crypto.subtle.sign(parameters, privateKey, new Uint8Array(bytes)))

      const reply = await serviceToken(await writeProof(site, key, { header: { alg, jwk }, sign }))

      expect([reply.status, reply.json['token_type']]).toEqual([200, 'DPoP'])
    },
  )
})

describe('other members of the key in a proof', () => {
  it.each<readonly [string, Readonly<Record<string, unknown>>]>([
    ['a purpose', { use: 'enc', key_ops: ['encrypt'], ext: false }],
    ['another algorithm', { alg: 'ES384' }],
    ['an identifier, an address and a certificate', { kid: 'x', x5u: 'http://127.0.0.1:1/x', x5c: ['AAAA'] }],
    ['members of other key types', { n: 'AAAA', e: 'AQAB', z: 1 }],
    ['a member named __proto__', JSON.parse('{"__proto__":{"x":"AAAA"},"constructor":1}') as Record<string, unknown>],
  ])('have no effect: %s (RFC 7638 §3.1)', async (_case, members) => {
    const jwk = Object.fromEntries([...Object.entries(key.jwk), ...Object.entries(members)])

    const reply = await serviceToken(await writeProof(site, key, { header: { jwk } }))

    expect([reply.status, reply.json['token_type']]).toEqual([200, 'DPoP'])
    expect(readJws(String(reply.json['access_token'])).payload['cnf']).toEqual({ jkt: key.jkt })
  })
})

const iat = 1_790_000_000

describe('an invalid proof', () => {
  const malformed = 'dpop_proof_malformed'
  const rows: readonly (readonly [string, ProofChange, RefusalReason])[] = [
    ['no type', { header: { typ: undefined } }, malformed],
    ['the type JWT', { header: { typ: 'JWT' } }, malformed],
    ['the type of an access token', { header: { typ: 'at+jwt' } }, malformed],
    ['no algorithm', { header: { alg: undefined } }, malformed],
    ['the algorithm none', { header: { alg: 'none' }, sign: signNothing(64) }, malformed],
    ['the algorithm RS1', { header: { alg: 'RS1' } }, malformed],
    ['a critical header member', { header: { crit: ['x'], x: 1 } }, malformed],
    ['an unencoded payload', { header: { b64: false } }, malformed],
    ['no key', { header: { jwk: undefined } }, malformed],
    ['a key that is a string', { header: { jwk: 'x' } }, malformed],
    ['no jti', { claims: { jti: undefined } }, malformed],
    ['an empty jti', { claims: { jti: '' } }, malformed],
    ['a jti that is a number', { claims: { jti: 5 } }, malformed],
    ['a jti of 257 characters', { claims: { jti: 'x'.repeat(257) } }, malformed],
    ['the jti __proto__', { claims: { jti: '__proto__' } }, malformed],
    ['a jti with U+0000', { claims: { jti: 'a\u0000b' } }, malformed],
    ['no iat', { claims: { iat: undefined } }, malformed],
    ['an iat that is a string', { claims: { iat: String(iat) } }, malformed],
    ['no htm', { claims: { htm: undefined } }, 'dpop_target'],
    ['another method', { claims: { htm: 'GET' } }, 'dpop_target'],
    ['a method in lower case', { claims: { htm: 'post' } }, 'dpop_target'],
    ...[
      undefined,
      5,
      null,
      {},
      '',
      '//as.test/token',
      '/token',
      'https:as.test/token',
      'https:\\\\as.test\\token',
      'https://as.test/token/',
      'https://as.test/TOKEN',
      'https://as.test/%74oken',
      'https://as.test//token',
      'http://as.test/token',
      'https://as.test:444/token',
      'https://other.test/token',
      'https://as.test@evil/token',
      'https://user@as.test/token',
      'https://[/token',
    ].map((htu) => [`htu ${JSON.stringify(htu)}`, { claims: { htu } }, 'dpop_target'] as const),
    ['an expired exp', { claims: { exp: iat - 11 } }, 'dpop_nonce'],
    ['an exp that is a string', { claims: { exp: 'soon' } }, 'dpop_nonce'],
    ['an nbf in the future', { claims: { nbf: iat + 11 } }, 'dpop_nonce'],
    ['an iat 61 seconds ago', { claims: { iat: iat - 61 } }, 'dpop_nonce'],
    ['an iat 11 seconds ahead', { claims: { iat: iat + 11 } }, 'dpop_nonce'],
    ['an iat more than an hour ago', { claims: { iat: iat - 3601 } }, 'dpop_nonce'],
    ['no signature', { sign: signNothing(64) }, 'dpop_signature'],
    ['a signature in DER', { sign: signNothing(70) }, 'dpop_signature'],
  ]

  it.each(rows)('is refused if it has %s (RFC 9449 §4.3)', async (_case, change, reason) => {
    const dpop = await writeProof(site, key, change)
    const error = reason === 'dpop_nonce' ? 'use_dpop_nonce' : 'invalid_dpop_proof'

    const reply = await expectJsonRefusal(site, { status: 400, error }, { send: () => serviceToken(dpop), reason })

    expect(reply.header('dpop-nonce') !== undefined).toBe(reason === 'dpop_nonce')
  })

  it.each([
    ['the private key', async () => ({ jwk: await exportJWK(key.privateKey) })],
    ['a symmetric key', () => ({ alg: 'HS256', jwk: { kty: 'oct', k: 'AAAA' } })],
    [
      'an Ed25519 key for ES256',
      async () => ({ jwk: await exportJWK((await generateKeyPair('Ed25519', { extractable: true })).publicKey) }),
    ],
    ['a coordinate whose unused bits are not zero', () => ({ jwk: { ...key.jwk, x: setUnusedBits(key.jwk.x ?? '') } })],
    ['a P-384 curve', () => ({ jwk: { ...key.jwk, crv: 'P-384' } })],
    ['an RSA key of 1024 bits', () => ({ alg: 'PS256', jwk: { kty: 'RSA', e: 'AQAB', n: 'z'.repeat(171) } })],
    ['an RSA key of 8192 bits', () => ({ alg: 'PS256', jwk: { kty: 'RSA', e: 'AQAB', n: 'z'.repeat(1366) } })],
    ['a large RSA exponent', () => ({ alg: 'PS256', jwk: { kty: 'RSA', e: 'AQABAQ', n: 'z'.repeat(342) } })],
    ['an RSA key for RS256', () => ({ alg: 'RS256', jwk: { kty: 'RSA', e: 'AQAB', n: 'z'.repeat(342) } })],
  ])('is refused if it has %s in its header (RFC 9449 §4.3)', async (_case, header) => {
    const dpop = await writeProof(site, key, { header: await header(), sign: signHs256(new Uint8Array(32)) })

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_dpop_proof' },
      { send: () => serviceToken(dpop), reason: 'dpop_proof_malformed' },
    )
  })

  it('is refused with a point that is not on the curve (RFC 9449 §4.3)', async () => {
    const dpop = await writeProof(site, key, { header: { jwk: { ...key.jwk, x: key.jwk.y } } })

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_dpop_proof' },
      { send: () => serviceToken(dpop), reason: 'dpop_signature' },
    )
  })

  it.each(['x', 'a.b.c', 'é', '..', `${'a'.repeat(5000)}.a.a`, 'e30.e30.e30', 'bnVsbA.bnVsbA.bnVsbA'])(
    'is refused when the header is %j (RFC 9449 §4.3)',
    async (dpop) => {
      await expectJsonRefusal(
        site,
        { status: 400, error: 'invalid_dpop_proof' },
        { send: () => serviceToken(dpop), reason: 'dpop_proof_malformed' },
      )
    },
  )

  it('is refused when the header contains two proofs (RFC 9449 §4.3)', async () => {
    const two = [await writeProof(site, key), await writeProof(site, key)]
    const send = () => serviceToken(two.join(', '))

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_dpop_proof' },
      { send, reason: 'dpop_proof_malformed' },
    )
  })

  it('leaves the client assertion and the code usable (RFC 9449 §8)', async () => {
    const code = await obtainCode(site, { client_id: 'B', redirect_uri: 'https://b.test/cb' })
    const form = { grant_type: 'authorization_code', code, redirect_uri: 'https://b.test/cb', code_verifier: verifier }
    const sameAssertion = await assertionOf(site)
    const send = async (dpop: string): Promise<Reply> =>
      postAs(site, 'B', { path: '/token', form: { ...form, ...sameAssertion }, headers: { dpop } })
    const bad = await writeProof(site, key, { claims: { htm: 'GET' } })
    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_dpop_proof' },
      { send: () => send(bad), reason: 'dpop_target' },
    )

    const reply = await send(await writeProof(site, key))

    expect(reply.status).toBe(200)
  })
})

describe('a proof that was used', () => {
  it('is refused (RFC 9449 §11.1)', async () => {
    const dpop = await writeProof(site, key)
    await serviceToken(dpop)

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_dpop_proof' },
      { send: () => serviceToken(dpop), reason: 'dpop_replayed' },
    )
  })

  it('is accepted once when it is sent fifty times concurrently (RFC 9449 §11.1)', async () => {
    const dpop = await writeProof(site, key)

    const replies = await Promise.all(Array.from({ length: 50 }, () => serviceToken(dpop)))

    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ json }) => json['error'] === 'invalid_dpop_proof')).toHaveLength(49)
  })

  it('is refused for as long as its iat is accepted, even after its nonce has expired (RFC 9449 §11.1)', async () => {
    const own = await startServer()
    onTestFinished(() => own.close())
    const first = await serviceToken(await writeProof(own, key), own)
    const nonce = first.header('dpop-nonce')
    const ahead = await writeProof(own, key, { claims: { nonce, iat: iat + 3000 } })
    expect((await serviceToken(ahead, own)).status).toBe(200)
    own.clock.advance(3000)
    await own.storage.purge.purgeExpired({ now: own.clock.now(), limit: 1000 })

    const reply = await expectRefusal(own, { send: () => serviceToken(ahead, own), reason: 'dpop_replayed' })

    expect(reply.status).toBe(400)
  })

  it('does not affect the same jti of another key (RFC 9449 §11.1)', async () => {
    const other = await createProofKey()
    const change = { claims: { jti: 'shared' } }

    const replies = [
      await serviceToken(await writeProof(site, key, change)),
      await serviceToken(await writeProof(site, other, change)),
    ]

    expect(replies.map(({ status }) => status)).toEqual([200, 200])
  })
})

describe('the nonces of DPoP proofs', () => {
  const redeemAsB = (server: ServerUnderTest, form: Change, dpop: string): Promise<Reply> =>
    postAs(server, 'B', { path: '/token', form, headers: { dpop } })

  it('are requested before the assertion and the code are used up, so that the same ones can be sent again (RFC 9449 §8)', async () => {
    const own = await startServer({ dpop: { nonces: 'required' } })
    onTestFinished(() => own.close())
    const redirect_uri = 'https://b.test/cb'
    const code = await obtainCode(own, { client_id: 'B', redirect_uri })
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri,
      code_verifier: verifier,
      ...(await assertionOf(own)),
    }
    const first = await writeProof(own, key)
    const challenged = await expectJsonRefusal(
      own,
      { status: 400, error: 'use_dpop_nonce' },
      { send: () => redeemAsB(own, form, first), reason: 'dpop_nonce' },
    )
    const nonce = challenged.header('dpop-nonce')
    expect(nonce).toMatch(/^[\w-]{28}$/)

    const reply = await redeemAsB(own, form, await writeProof(own, key, { claims: { nonce } }))

    expect([reply.status, reply.json['token_type'], reply.header('dpop-nonce')]).toEqual([200, 'DPoP', undefined])
  })

  it('are requested in the same way from clients that do not exist (RFC 9449 §8)', async () => {
    const own = await startServer({ dpop: { nonces: 'required' } })
    onTestFinished(() => own.close())
    const dpop = await writeProof(own, key)

    const replies = [
      await postAs(own, 'P', { path: '/token', form: { client_id: 'P' }, headers: { dpop } }),
      await postAs(own, 'P', { path: '/token', form: { client_id: 'nobody' }, headers: { dpop } }),
    ]

    expect(replies.map(({ status, text }) => [status, text])).toEqual(
      [replies[0], replies[0]].map((reply) => [400, reply?.text]),
    )
  })

  it('permit a clock that is wrong by an hour (RFC 9449 §11.1)', async () => {
    const nonce = (await serviceToken(await writeProof(site, key))).header('dpop-nonce')

    for (const off of [-3600, 3600])
      expect((await serviceToken(await writeProof(site, key, { claims: { nonce, iat: iat + off } }))).status).toBe(200)
    const late = await writeProof(site, key, { claims: { nonce, iat: iat - 3601 } })
    const error = { status: 400, error: 'invalid_dpop_proof' }
    await expectJsonRefusal(site, error, { send: () => serviceToken(late), reason: 'dpop_time' })
  })

  it('are renewed while they are still accepted, and refused after that (RFC 9449 §8.2)', async () => {
    const own = await startServer({ dpop: { nonces: 'required' } })
    onTestFinished(() => own.close())
    const send = async (nonce?: string) => serviceToken(await writeProof(own, key, { claims: { nonce } }), own)
    const nonce = (await send()).header('dpop-nonce')

    const fresh = await send(nonce)
    own.clock.advance(60)
    const aged = await send(nonce)
    own.clock.advance(120)
    const stale = await send(nonce)

    expect([fresh.status, fresh.header('dpop-nonce')]).toEqual([200, undefined])
    expect([aged.status, aged.header('dpop-nonce')]).toEqual([200, expect.stringMatching(/^[\w-]{28}$/)])
    expect([stale.status, stale.json['error']]).toEqual([400, 'use_dpop_nonce'])
  })

  it('are accepted by every process with the same keys (RFC 9449 §8)', async () => {
    const first = await startServer({ dpop: { nonces: 'required' } })
    const second = await startServer({ dpop: { nonces: 'required' } })
    onTestFinished(async () => void (await Promise.all([first.close(), second.close()])))
    const nonce = (await serviceToken(await writeProof(first, key), first)).header('dpop-nonce')

    const reply = await serviceToken(await writeProof(second, key, { claims: { nonce } }), second)

    expect(reply.status).toBe(200)
  })

  it.each([5, null, '', 'made-up', 'A'.repeat(28)])(
    'are refused when the server did not issue them: %j (RFC 9449 §8)',
    async (nonce) => {
      const own = await startServer({ dpop: { nonces: 'required' } })
      onTestFinished(() => own.close())
      await authenticateEveryClient(own)
      const dpop = await writeProof(own, key, { claims: { nonce } })

      await expectJsonRefusal(
        own,
        { status: 400, error: 'use_dpop_nonce' },
        { send: () => serviceToken(dpop, own), reason: 'dpop_nonce' },
      )
    },
  )

  it('are never sent or requested when they are off (RFC 9449 §8)', async () => {
    const own = await startServer({ dpop: { nonces: 'off' } })
    onTestFinished(() => own.close())
    await authenticateEveryClient(own)

    const reply = await serviceToken(await writeProof(own, key, { claims: { nonce: 'x' } }), own)

    expect([reply.status, reply.header('dpop-nonce')]).toEqual([200, undefined])
    const old = await writeProof(own, key, { claims: { iat: iat - 61 } })
    await expectJsonRefusal(
      own,
      { status: 400, error: 'invalid_dpop_proof' },
      { send: () => serviceToken(old, own), reason: 'dpop_time' },
    )
  })
})

describe('a proof for an issuer with a path', () => {
  it('must contain the address with the path (RFC 9449 §4.3)', async () => {
    const own = await startServer({ issuer: 'https://as.test/tenant' })
    onTestFinished(() => own.close())
    const post = async (htu: string) =>
      postAs(own, 'M', {
        path: '/tenant/token',
        form: { grant_type: 'client_credentials' },
        headers: { dpop: await writeProof(own, key, { claims: { htu } }) },
      })

    const replies = [await post('https://as.test/tenant/token'), await post('https://as.test/token')]

    expect(replies.map(({ status }) => status)).toEqual([200, 400])
  })
})

describe('a token response for a code', () => {
  it('has the token type DPoP when the request has a proof (RFC 9449 §5)', async () => {
    const reply = await redeem(site, await obtainCode(site), {}, { dpop: await writeProof(site, key) })

    expect([reply.status, reply.json['token_type']]).toEqual([200, 'DPoP'])
  })
})
