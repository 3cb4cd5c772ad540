import { type RateLimiter, registerClient, type RefusalReason } from '@mintmark/core'
import { clientId, type JsonObject } from '@mintmark/storage-interface'
import { exportJWK, generateKeyPair, importJWK, SignJWT, type JWK } from 'jose'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { assertionOf, assertionType, writeAssertion, type AssertionChange } from '../support/client-assertion.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { encode, postForm, type Change } from '../support/flow.ts'
import { readJws, signEs256, signHs256 } from '../support/forge-jwt.ts'
import { forgeries, type GenuineJwt } from '../support/forgeries.ts'
import { expectJsonRefusal } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { authenticateEveryClient, refresh, tokensFor } from '../support/token-calls.ts'

// One file, because all tests change one valid assertion and present it to the same endpoints.
let site: ServerUnderTest
let attacker: GenuineJwt['attacker']
beforeAll(async () => {
  site = await startServer({
    rateLimits: { failedAuthentications: { consume: () => Promise.resolve({ allowed: true }) } },
  })
  attacker = await generateKeyPair('ES256', { extractable: true })
  await authenticateEveryClient(site)
})
afterAll(() => site.close())

const paths = ['/token', '/token/introspection', '/token/revocation'] as const
const introspection = paths[1]

/** Posts a form that is valid except for its client authentication. */
const present = (form: Change, path: string = introspection) =>
  postForm(site, path, encode({ grant_type: 'refresh_token', refresh_token: 'x', token: 'x', ...form }), {})

const isAccepted = async (change: AssertionChange): Promise<boolean> =>
  (await present(await assertionOf(site, change))).status === 200

const wrong = 'client_credentials_wrong'
const unknown = 'client_unknown'
const audience = 'client_assertion_audience'

async function refuseAssertion(assertion: string, reason: RefusalReason = wrong): Promise<void> {
  await expectJsonRefusal(
    site,
    { status: 401, error: 'invalid_client' },
    {
      send: () => present({ client_assertion_type: assertionType, client_assertion: assertion }),
      reason,
    },
  )
}

describe('private_key_jwt: an assertion with a wrong or missing claim', () => {
  const now = 1_790_000_000
  type Row = readonly [row: string, claims: Readonly<Record<string, unknown>>, reason?: RefusalReason]
  const rows: readonly Row[] = [
    ['iss differs from sub (RFC 7523 §3)', { iss: 'A' }],
    ['sub differs from iss (RFC 7523 §3)', { sub: 'A' }, 'client_authentication_method'],
    ['no iss (RFC 7523 §3)', { iss: undefined }],
    ['no sub (RFC 7523 §3)', { sub: undefined }, unknown],
    ['iss and sub of an unknown client (RFC 7523 §3)', { iss: 'zzz', sub: 'zzz' }, unknown],
    ['iss is an array (RFC 7523 §3)', { iss: ['B'] }],
    ...[7, '', {}, ['B'], true, null].map(
      (sub) => [`sub is ${JSON.stringify(sub)} (RFC 7519 §4.1.2)`, { sub }, unknown] as Row,
    ),
    ['sub in another case (RFC 7519 §4.1.2)', { sub: 'b', iss: 'b' }, unknown],
    ['no aud (RFC 7523 §3)', { aud: undefined }, audience],
    ['aud of another server (RFC 7523 §3)', { aud: 'https://other.test' }, audience],
    [
      'aud is an array with a foreign entry (RFC 7523 §3)',
      { aud: ['https://as.test', 'https://other.test'] },
      audience,
    ],
    ['aud is the token endpoint of another issuer (RFC 7523 §3)', { aud: 'https://as.test/tenant/token' }, audience],
    ['aud with a trailing slash (RFC 7523 §3)', { aud: 'https://as.test/' }, audience],
    ['aud in upper case (RFC 7523 §3)', { aud: 'HTTPS://AS.TEST' }, audience],
    ['aud is an empty array (RFC 7523 §3)', { aud: [] }, audience],
    ['aud is a number (RFC 7523 §3)', { aud: 7 }, audience],
    ['aud is the client itself (RFC 7523 §3)', { aud: 'B' }, audience],
    [
      'aud is the token endpoint, without a registration for it (RFC 7523 §3)',
      { aud: 'https://as.test/token' },
      audience,
    ],
    ['aud is the issuer twice (RFC 7519 §4.1.3)', { aud: ['https://as.test', 'https://as.test'] }, audience],
    ['no exp (RFC 7523 §3)', { exp: undefined }],
    ['exp is now (RFC 7523 §3)', { exp: now }],
    ['exp was a second ago (RFC 7523 §3)', { exp: now - 1 }],
    ['exp is more than five and a half minutes ahead (RFC 7523 §3)', { exp: now + 331 }],
    ['exp is in milliseconds (RFC 7523 §3)', { exp: (now + 60) * 1000 }],
    ['exp is a string (RFC 7519 §4.1.4)', { exp: String(now + 60) }],
    ['exp is null (RFC 7519 §4.1.4)', { exp: null }],
    ['iat 61 s ahead (RFC 7523 §3)', { iat: now + 61 }],
    ['nbf 61 s ahead (RFC 7523 §3)', { nbf: now + 61 }],
    ['iat is a string (RFC 7519 §4.1.6)', { iat: String(now) }],
    ['nbf is a string (RFC 7519 §4.1.5)', { nbf: String(now) }],
    ['no jti (OIDC Core §9)', { jti: undefined }],
    ['jti of 10 KiB (RFC 7519 §4.1.7)', { jti: 'j'.repeat(10_240) }, unknown],
    ['jti of 257 characters (RFC 7519 §4.1.7)', { jti: 'j'.repeat(257) }],
    ['jti with NUL (RFC 7519 §4.1.7)', { jti: 'j\0j' }],
    ...['__proto__', 'constructor', '', 7, null, ['j'], {}, 'j\n', 'jé'].map(
      (jti) => [`jti ${JSON.stringify(jti)} (RFC 7519 §4.1.7)`, { jti }] as Row,
    ),
  ]

  it.each(rows.map(([row, claims, reason]) => ({ row, claims, reason })))(
    'is rejected: $row',
    async ({ claims, reason }) => {
      await refuseAssertion(await writeAssertion(site, { claims }), reason)

      expect(await isAccepted({})).toBe(true)
    },
  )
})

describe('private_key_jwt: a forged assertion', () => {
  it.each(forgeries)('is rejected: $row', async ({ forge }) => {
    const genuine = await genuineAssertion()

    const before = site.dump()
    const reply = await present({ client_assertion_type: assertionType, client_assertion: await forge(genuine) })

    expect([reply.status, reply.json['error']]).toEqual([401, 'invalid_client'])
    expect([wrong, unknown]).toContain(site.lastReason())
    expect(site.dump()).toBe(before)
    expect(await isAccepted({})).toBe(true)
  })

  it.each(['at+jwt', 'dpop+jwt', 'oauth-authz-req+jwt', 'logout+jwt', 'x'])(
    'rejects a JWT of the type %s (RFC 8725 §3.11)',
    async (typ) => {
      await refuseAssertion(await writeAssertion(site, { header: { typ } }))
    },
  )

  it.each([1, [], {}, null, true])('rejects a JWT whose type is not a string: %j (RFC 7515 §4.1.9)', async (typ) => {
    await refuseAssertion(await writeAssertion(site, { header: { typ } }))
  })

  it('rejects HS256 keyed with the empty secret of a client without one (RFC 7518 §3.1)', async () => {
    await refuseAssertion(await writeAssertion(site, { header: { alg: 'HS256' }, sign: signHs256(new Uint8Array(32)) }))
  })

  it("rejects the server's own tokens as assertions (RFC 7523 §3)", async () => {
    const tokens = await tokensFor(site, 'B')

    await refuseAssertion(tokens.access_token, unknown)
    await refuseAssertion(tokens.id_token, unknown)
  })

  it("rejects an assertion for A signed with B's key (RFC 7523 §3)", async () => {
    await expectJsonRefusal(
      site,
      { status: 401, error: 'invalid_client' },
      {
        send: async () => present(await assertionOf(site, { claims: { iss: 'A', sub: 'A' } })),
        reason: 'client_authentication_method',
      },
    )
  })

  async function genuineAssertion(): Promise<GenuineJwt> {
    const [token, other] = [await writeAssertion(site), await writeAssertion(site)]
    const registered = await site.storage.clients.find(clientId('B'))
    const [publicJwk = {}] = (registered?.jwks?.['keys'] ?? []) as readonly JWK[]
    return { token, other, ...readJws(token), sign: signEs256(site.clients.B.privateKey), publicJwk, attacker }
  }
})

describe.each(paths)('private_key_jwt at %s', (path) => {
  it.each<readonly [string, (good: Change) => Change, 400 | 401, RefusalReason]>([
    [
      'client_id differs from sub (RFC 7521 §4.2)',
      (good) => ({ ...good, client_id: 'A' }),
      401,
      'client_id_contradicted',
    ],
    [
      'another client_assertion_type (RFC 7521 §4.2)',
      (good) => ({ ...good, client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' }),
      401,
      unknown,
    ],
    [
      'client_assertion_type in another case (RFC 7521 §4.2)',
      (good) => ({ ...good, client_assertion_type: assertionType.toUpperCase() }),
      401,
      unknown,
    ],
    [
      'no client_assertion_type (RFC 7521 §4.2)',
      (good) => ({ ...good, client_assertion_type: undefined }),
      401,
      unknown,
    ],
    ['no client_assertion (RFC 7521 §4.2)', (good) => ({ ...good, client_assertion: undefined }), 401, unknown],
    [
      'client_id without client_assertion (RFC 7521 §4.2)',
      (good) => ({ ...good, client_assertion: undefined, client_id: 'P' }),
      400,
      'client_authentication_twice',
    ],
    [
      'a secret in addition to the assertion (RFC 6749 §2.3)',
      (good) => ({ ...good, client_secret: 'x' }),
      400,
      'client_authentication_twice',
    ],
  ])('is rejected: %s', async (_, change, status, reason) => {
    const good = await assertionOf(site)

    await expectJsonRefusal(
      site,
      { status, error: status === 401 ? 'invalid_client' : 'invalid_request' },
      {
        send: () => present(change(good), path),
        reason,
      },
    )

    expect((await present(good)).status).toBe(200)
  })

  it('rejects two client_assertion values (RFC 6749 §3.2)', async () => {
    const [first, second] = [await assertionOf(site), await assertionOf(site)]

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_request' },
      {
        send: () => postForm(site, path, `${encode(first)}&${encode(second)}&token=x`, {}),
        reason: 'parameter_repeated',
      },
    )
  })

  it('accepts an assertion only once across all endpoints (RFC 7523 §3)', async () => {
    const good = await assertionOf(site)
    await present(good)

    await expectJsonRefusal(
      site,
      { status: 401, error: 'invalid_client' },
      { send: () => present(good, path), reason: wrong },
    )
  })
})

describe('private_key_jwt: accepted assertions', () => {
  const now = 1_790_000_000

  it.each<readonly [string, AssertionChange]>([
    ['iat 8 s ahead (RFC 7523 §3)', { claims: { iat: now + 8 } }],
    ['nbf 8 s ahead (RFC 7523 §3)', { claims: { nbf: now + 8 } }],
    ['no iat (RFC 7523 §3)', { claims: { iat: undefined } }],
    ['exp at the limit (RFC 7523 §3)', { claims: { exp: now + 330 } }],
    ['no kid, if the client has only one key (RFC 7515 §4.1.4)', { header: { kid: undefined } }],
    ['no typ (RFC 7515 §4.1.9)', { header: { typ: undefined } }],
    ['typ client-authentication+jwt (RFC 8725 §3.11)', { header: { typ: 'client-authentication+jwt' } }],
    ['an unknown claim (RFC 7519 §4)', { claims: { x: 1 } }],
    ['aud is an array with only the issuer (RFC 7519 §4.1.3)', { claims: { aud: ['https://as.test'] } }],
    ['jti of 256 characters (RFC 7519 §4.1.7)', { claims: { jti: 'j'.repeat(256) } }],
  ])('%s', async (_, change) => {
    expect(await isAccepted(change)).toBe(true)
  })

  it('accepts a client_id in addition to the assertion (RFC 7521 §4.2)', async () => {
    expect((await present({ ...(await assertionOf(site)), client_id: 'B' })).status).toBe(200)
  })

  it('accepts exactly one of 20 concurrent presentations (RFC 7523 §3)', async () => {
    const good = await assertionOf(site)

    const replies = await Promise.all(Array.from({ length: 20 }, () => present(good)))

    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(19)
  })

  it('uses up the assertion even when the grant is rejected (RFC 7523 §3)', async () => {
    const good = await assertionOf(site)
    const refused = await present(good, '/token')

    expect([refused.status, (await present(good)).status]).toEqual([400, 401])
  })

  it.each(['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] as const)('verifies %s (RFC 7518 §3.1)', async (alg) => {
    const other = await startServer()
    onTestFinished(() => other.close())
    const pair = await generateKeyPair(alg, { extractable: true })
    const jwks = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k' } as JsonObject] }
    const machine = { clientId: 'K', clientName: 'K', grantTypes: ['client_credentials'], scopes: ['api.read'] }
    await registerClient({ ...machine, tokenEndpointAuthMethod: 'private_key_jwt', jwks }, { storage: other.storage })
    const claims = { iss: 'K', sub: 'K', aud: other.issuer, exp: other.clock.now() + 60, jti: 'k1' }
    const privateKey = await importJWK(await exportJWK(pair.privateKey), alg)
    const client_assertion = await new SignJWT(claims).setProtectedHeader({ alg, kid: 'k' }).sign(privateKey)

    const form = { grant_type: 'client_credentials', client_assertion_type: assertionType, client_assertion }
    const reply = await postForm(other, '/token', encode(form), {})

    expect(reply.status).toBe(200)
  })

  it.each([
    ['may send the token endpoint', 'https://as.test/token', true],
    ['may send the token endpoint in an array', ['https://as.test/token'], true],
    ['may send the issuer', 'https://as.test', true],
    ['must not send the token endpoint of another server', 'https://other.test/token', false],
    ['must not send both the issuer and the token endpoint', ['https://as.test', 'https://as.test/token'], false],
  ])('a client registered for the token endpoint as audience %s (RFC 7523 §3)', async (_, aud, accepted) => {
    await changeClient(site.storage, clientId('B'), { allowTokenEndpointAudience: true })

    expect(await isAccepted({ claims: { aud } })).toBe(accepted)

    await changeClient(site.storage, clientId('B'), { allowTokenEndpointAudience: false })
  })

  it('the event of a refused assertion has the audience that was received and the expected one (RFC 7523 §3)', async () => {
    await present(await assertionOf(site, { claims: { aud: ['https://as.test/token'] } }))

    expect(site.events.at(-1)).toMatchObject({
      reason: audience,
      context: {
        clientId: 'B',
        presentedAudience: ['https://as.test/token'],
        expectedAudience: ['https://as.test'],
      },
    })
  })

  it('gets 503 and not 401 while its key set cannot be fetched, and the attempt is no failure (RFC 6749 §5.2)', async () => {
    const counted: string[] = []
    const failedAuthentications: RateLimiter = {
      consume: (key) => {
        counted.push(key)
        return Promise.resolve({ allowed: true })
      },
    }
    const fetch = () => Promise.reject(new TypeError('fetch failed'))
    const own = await startServer({ fetch, rateLimits: { failedAuthentications } })
    onTestFinished(() => own.close())
    await changeClient(own.storage, clientId('B'), { jwks: undefined, jwksUri: 'https://b.test/jwks' })
    const before = own.dump()

    const reply = await postForm(own, introspection, encode({ token: 'x', ...(await assertionOf(own)) }), {})

    expect([reply.status, reply.json['error'], reply.header('retry-after')]).toEqual([
      503,
      'temporarily_unavailable',
      '10',
    ])
    expect(own.events.at(-1)).toMatchObject({ reason: 'client_keys_unavailable', context: { clientId: 'B' } })
    expect([counted, own.dump()]).toEqual([[], before])
  })

  it('a client that uses private_key_jwt refreshes its own token (RFC 7523 §3)', async () => {
    const tokens = await tokensFor(site, 'B')

    expect((await refresh(site, tokens.refresh_token, {}, 'B')).status).toBe(200)
  })
})
