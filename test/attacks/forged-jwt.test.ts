import type { KeyRing } from '@mintmark/core'
import type { PublicKey, Signer } from '@mintmark/core/internal'
import { keyId, type JsonObject } from '@mintmark/storage-interface'
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { authorize, baseRequest, encode, postForm, signedInAs } from '../support/flow.ts'
import { readJws, signEs256, writeJws } from '../support/forge-jwt.ts'
import { forgeries, type GenuineJwt } from '../support/forgeries.ts'
import { withSigner } from '../support/genuine-jwt.ts'
import { expectServing, expectRefusal, expectErrorRedirect } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import {
  introspect,
  authenticateEveryClient,
  revoke,
  serviceToken,
  tokensFor,
  tokensOf,
  userinfo,
} from '../support/token-calls.ts'

let site: ServerUnderTest
let attacker: GenuineJwt['attacker']
let accessToken: GenuineJwt
let idToken: GenuineJwt
beforeAll(async () => {
  site = await startServer()
  attacker = await generateKeyPair('ES256', { extractable: true })
  await authenticateEveryClient(site)
  const [one, two] = [await tokensFor(site, 'A'), await tokensFor(site, 'A')]
  accessToken = await withSigner({ token: one.access_token, other: two.access_token, attacker }, site.keys)
  idToken = await withSigner({ token: one.id_token, other: two.id_token, attacker }, site.keys)
})
afterAll(() => site.close())

/** Returns the token with some claims changed, signed with the server's own key. */
const withClaims = (
  { header, payload, sign }: GenuineJwt,
  claims: Readonly<Record<string, unknown>>,
): Promise<string> => writeJws(header, { ...payload, ...claims }, sign)

/** Calls userinfo with any string as the token: in the header if the string is allowed there, otherwise in the form. */
const userinfoWith = (token: string) =>
  /^[\x21-\x7E]+$/.test(token) && token.length < 12_000
    ? userinfo(site, token)
    : postForm(site, '/userinfo', encode({ access_token: token }), {})

async function expectNoAccessToken(token: string, reasons: readonly string[]): Promise<void> {
  const before = site.dump()
  const asked = await userinfoWith(token)
  const introspected = await introspect(site, token)

  expect([asked.status, asked.json['error']]).toEqual([401, 'invalid_token'])
  expect(reasons).toContain(site.lastReason())
  expect(asked.header('www-authenticate')).toMatch(
    /^Bearer realm="userinfo", error="invalid_token", error_description="[^"]+"$/,
  )
  expect(asked.header('cache-control')).toBe('no-store')
  expect(introspected.text).toBe('{"active":false}')
  expect(site.dump()).toBe(before)
}

/** Asserts that the server does not accept the string as its token, and that revoking it has no effect. */
async function expectInvalid(token: string): Promise<void> {
  await expectNoAccessToken(token, ['access_token_invalid', 'bearer_malformed'])
  const before = site.dump()

  expect((await revoke(site, token)).status).toBe(200)
  expect(site.dump()).toBe(before)
}

describe('a forged or malformed JWT as access token', () => {
  it.each(forgeries)('is rejected: $row', async ({ forge }) => {
    await expectInvalid(await forge(accessToken))

    expect((await userinfo(site, accessToken.token)).status).toBe(200)
  })

  it.each([
    'JWT',
    undefined,
    'at+jwt ',
    'AT+JWT',
    'application/at+jwt',
    'token-introspection+jwt',
    'dpop+jwt',
    '',
    7,
    null,
    ['at+jwt'],
  ])('rejects typ %j, which is not at+jwt (RFC 9068 §4)', async (typ) => {
    await expectInvalid(await writeJws({ ...accessToken.header, typ }, accessToken.payload, accessToken.sign))
  })

  const now = 1_790_000_000
  const wrongClaims: readonly (readonly [row: string, claims: Readonly<Record<string, unknown>>])[] = [
    ...[
      'https://other.test',
      'https://as.test/',
      'HTTPS://AS.TEST',
      'https://as.test.evil.test',
      ['https://as.test'],
      undefined,
      null,
      7,
      '',
    ].map((iss) => [`iss ${JSON.stringify(iss)} (RFC 9068 §4)`, { iss }] as const),
    ...[undefined, [], 7, null, {}, '', [7], [''], ['https://as.test', 7], [['https://as.test']]].map(
      (aud) => [`aud ${JSON.stringify(aud)} (RFC 9068 §4)`, { aud }] as const,
    ),
    ...[undefined, null, String(now + 60), 'x', now + 0.5, now, now - 1, 0, -1, 1e300, [now + 60], {}, true].map(
      (exp) => [`RFC 9068 §4: exp ${JSON.stringify(exp)}`, { exp }] as const,
    ),
    ['nbf one second ahead (RFC 9068 §4)', { nbf: now + 1 }],
    ['nbf is a string (RFC 7519 §4.1.5)', { nbf: String(now) }],
    ['nbf is null (RFC 7519 §4.1.5)', { nbf: null }],
    ['iat one hour ahead (RFC 9068 §4)', { iat: now + 3600 }],
    ['iat just beyond the skew (RFC 9068 §4)', { iat: now + 11 }],
    ['no iat (RFC 9068 §2.2)', { iat: undefined }],
    ['iat is a string (RFC 9068 §2.2)', { iat: String(now) }],
    ...[undefined, '', 7, {}, ['U1'], null, true].map(
      (sub) => [`sub ${JSON.stringify(sub)} (RFC 9068 §2.2)`, { sub }] as const,
    ),
    ...[undefined, '', 7, null].map((jti) => [`RFC 9068 §2.2: jti ${JSON.stringify(jti)}`, { jti }] as const),
    ...[undefined, '', 7, null, ['A']].map(
      (client_id) => [`RFC 9068 §2.2: client_id ${JSON.stringify(client_id)}`, { client_id }] as const,
    ),
    ...[['openid'], 7, null, {}].map(
      (scope) => [`RFC 9068 §2.2.3: scope ${JSON.stringify(scope)}`, { scope }] as const,
    ),
    ...['', 7, null, {}].map((family) => [`RFC 9068 §4: family ${JSON.stringify(family)}`, { family }] as const),
  ]

  it.each(wrongClaims)('is rejected: %s', async (_, claims) => {
    await expectInvalid(await withClaims(accessToken, claims))
  })

  it.each<readonly [string, Readonly<Record<string, unknown>>]>([
    ["another user's sub (RFC 7662 §4)", { sub: 'U2' }],
    ['a sub that identifies no user (RFC 7662 §4)', { sub: 'nobody' }],
    ["another client's client_id (RFC 7662 §4)", { client_id: 'B' }],
    ['a family that does not exist (RFC 7662 §4)', { family: 'none' }],
    ['a family named __proto__ (RFC 7662 §4)', { family: '__proto__' }],
  ])('is rejected: %s', async (_, claims) => {
    await expectNoAccessToken(await withClaims(accessToken, claims), ['access_token_inactive'])
  })

  it('userinfo rejects a token whose aud does not contain this server (RFC 9068 §4)', async () => {
    const reply = await userinfo(site, await withClaims(accessToken, { aud: ['https://api.test'] }))

    expect([reply.status, site.lastReason()]).toEqual([401, 'access_token_audience'])
  })

  it('userinfo accepts a token whose aud contains this server among others (RFC 9068 §4)', async () => {
    const token = await withClaims(accessToken, { aud: ['https://api.test', 'https://as.test'] })

    expect((await userinfo(site, token)).status).toBe(200)
  })

  it('rejects a token whose header has more members than the three this server writes (RFC 7515 §4)', async () => {
    await expectInvalid(await writeJws({ ...accessToken.header, x: 1 }, accessToken.payload, accessToken.sign))
  })

  it('ignores a claim that this server does not define (RFC 7519 §4)', async () => {
    const token = await withClaims(accessToken, { x: 1 })

    expect((await userinfo(site, token)).status).toBe(200)
  })

  it('accepts a token from the second of its nbf on (RFC 7519 §4.1.5)', async () => {
    const token = await withClaims(accessToken, { nbf: site.clock.now() })

    expect((await userinfo(site, token)).status).toBe(200)
  })

  it('rejects a token of 64 KiB before parsing it (RFC 8725 §3.10)', async () => {
    const token = await withClaims(accessToken, { x: 'x'.repeat(49_152) })
    const form = encode({ access_token: token })

    const presented = await expectRefusal(site, {
      send: () => postForm(site, '/userinfo', form, {}),
      reason: 'message_too_large',
    })
    const asked = await expectRefusal(site, { send: () => introspect(site, token), reason: 'message_too_large' })

    expect([presented.status, asked.status]).toEqual([413, 413])
    await expectServing(site)
  })

  it('rejects a token that fits into the body but is longer than any token of this server (RFC 8725 §3.10)', async () => {
    await expectInvalid(await withClaims(accessToken, { x: 'x'.repeat(8192) }))
  })

  it('claims of one token are never used for another (RFC 8725 §3.10)', async () => {
    const [person, service] = [
      (await tokensFor(site, 'A')).access_token,
      tokensOf(await serviceToken(site)).access_token,
    ]
    const other = tokensOf(await serviceToken(site, { resource: 'https://api.test' })).access_token

    for (let round = 0; round < 100; round += 1) {
      const answers = await Promise.all([
        introspect(site, person),
        introspect(site, service, 'M'),
        introspect(site, other, 'M'),
      ])

      expect(answers.map(({ json }) => json['jti'])).toEqual(
        [person, service, other].map((token) => readJws(token).payload['jti']),
      )
    }
  })
})

describe('a retired key', () => {
  it('verifies its tokens while it is published, and not afterwards (OIDC Core §10.1.1)', async () => {
    const [retired, current] = [await ringKey('retired'), await ringKey('current')]
    const rings = { before: ringOf([retired]), rotated: ringOf([retired, current]), after: ringOf([current]) }
    let ring = rings.before
    const keys: KeyRing = {
      algorithms: ['ES256'],
      signer: (alg) => ring.signer(alg),
      publicKeys: () => ring.publicKeys(),
      deriveSecrets: (purpose) => ring.deriveSecrets(purpose),
    }
    const other = await startServer({ keys })
    onTestFinished(() => other.close())
    const { access_token } = tokensOf(await serviceToken(other))

    const answers = []
    for (const now of [rings.before, rings.rotated, rings.after]) {
      ring = now
      answers.push((await introspect(other, access_token, 'M')).json['active'])
    }

    expect(answers).toEqual([true, true, false])
  })

  interface RingKey {
    readonly signer: Signer
    readonly published: PublicKey
  }

  async function ringKey(name: string): Promise<RingKey> {
    const pair = await generateKeyPair('ES256', { extractable: true })
    const described = { keyId: keyId(name), algorithm: 'ES256' } as const
    const jwk = { ...(await exportJWK(pair.publicKey)), kid: name, alg: 'ES256', use: 'sig' } as JsonObject
    return { signer: { ...described, sign: signEs256(pair.privateKey) }, published: { ...described, jwk } }
  }

  /** Returns a key ring that publishes all these keys and signs with the last. */
  const ringOf = (ring: readonly RingKey[]): KeyRing => ({
    algorithms: ['ES256'],
    signer: () => Promise.resolve((ring.at(-1) as RingKey).signer),
    publicKeys: () => Promise.resolve(ring.map(({ published }) => published)),
    deriveSecrets: () => Promise.resolve([new Uint8Array(32)]),
  })
})

describe('a forged or malformed JWT as id_token_hint', () => {
  const expectInvalidHint = async (id_token_hint: string): Promise<void> => {
    const form = encode({ ...baseRequest, id_token_hint })
    await expectErrorRedirect(
      site,
      { error: 'invalid_request' },
      {
        send: () => postForm(site, '/auth', form, { cookie: signedInAs(site, 'U1') }),
        reason: id_token_hint.length > 8192 ? 'parameter_too_long' : 'id_token_hint_invalid',
      },
    )
  }

  it.each(forgeries)('is rejected: $row', async ({ forge }) => {
    await expectInvalidHint(await forge(idToken))
  })

  it.each<readonly [string, Readonly<Record<string, unknown>>]>([
    ['iss of another issuer (OIDC Core §3.1.2.2)', { iss: 'https://other.test' }],
    ...[undefined, 7, null, ['U1'], {}].map(
      (sub) => [`sub ${JSON.stringify(sub)} (OIDC Core §3.1.2.2)`, { sub }] as const,
    ),
  ])('is rejected: %s', async (_, claims) => {
    await expectInvalidHint(await withClaims(idToken, claims))
  })

  it('rejects an access token as a hint (RFC 9068 §5)', async () => {
    await expectInvalidHint(accessToken.token)
  })

  it('an expired hint still identifies the user (OIDC Core §3.1.2.1)', async () => {
    site.clock.advance(3000)

    const reply = await authorize(site, { id_token_hint: idToken.token })

    expect(reply.location.searchParams.has('code')).toBe(true)
  })

  it('a valid hint signs no user in (OIDC Core §3.1.2.2)', async () => {
    await expectErrorRedirect(
      site,
      { error: 'login_required' },
      {
        send: () => authorize(site, { id_token_hint: idToken.token, prompt: 'none' }, { cookie: '' }),
        reason: 'login_required',
      },
    )
  })
})
