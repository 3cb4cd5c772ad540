import { generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { protectApi, startFeedSite, type FeedSite, type ProtectedApi } from '../support/feed-site.ts'
import { readJws, writeJws } from '../support/forge-jwt.ts'
import { forgeries, type GenuineJwt } from '../support/forgeries.ts'
import { withSigner } from '../support/genuine-jwt.ts'
import { revoke, serviceToken, tokensFor, tokensOf } from '../support/token-calls.ts'

const forApi = { scope: 'openid api.read', resource: 'https://api.test' }

// One file, because all tests present tokens to the same two APIs.
let site: FeedSite
let api: ProtectedApi
let introspecting: ProtectedApi
let accessToken: GenuineJwt
let idToken: string
beforeAll(async () => {
  site = await startFeedSite()
  api = protectApi(site)
  introspecting = protectApi(site, { introspection: {} })
  const attacker = await generateKeyPair('ES256', { extractable: true })
  const [first, second] = [await tokensFor(site, 'A', forApi), await tokensFor(site, 'A', forApi)]
  accessToken = await withSigner({ token: first.access_token, other: second.access_token, attacker }, site.keys)
  idToken = first.id_token
  // Lets both APIs fetch the server's metadata.
  for (const receiver of [api, introspecting]) await receiver.present(accessToken.token)
})
afterAll(() => site.close())

const withClaims = (claims: Readonly<Record<string, unknown>>): Promise<string> =>
  writeJws(accessToken.header, { ...accessToken.payload, ...claims }, accessToken.sign)

/** Asserts that both APIs reject the string without introspection, with a message that does not reveal the reason. */
async function expectRefused(token: string, reasons?: readonly string[]): Promise<void> {
  const before = site.dump()
  for (const receiver of [api, introspecting]) {
    site.requestedPaths.splice(0)
    const reason = await receiver.present(token)
    const refusal = receiver.refusals.at(-1)

    expect([refusal?.code, refusal?.description]).toEqual(['invalid_token', 'The access token is not valid.'])
    if (reasons !== undefined) expect(reasons).toContain(reason)
    expect(site.requestedPaths.filter((path) => path !== '/jwks')).toEqual([])
    expect(site.requestedPaths.length).toBeLessThanOrEqual(1)
  }
  expect(site.dump()).toBe(before)
}

describe('a forged or malformed JWT at an API', () => {
  it.each(forgeries)('is rejected: $row', async ({ row, forge }) => {
    // RFC 8725 §3.1: the algorithm is compared before the key is used.
    await expectRefused(
      await forge(accessToken),
      /^(?:HS256 keyed|alg \S+, which does not fit) /.test(row) ? ['token_key_unknown'] : undefined,
    )

    expect(await api.present(accessToken.token)).toBe('admitted')
  })

  it.each(['JWT', undefined, 'at+jwt ', 'AT+JWT', 'token-introspection+jwt', 'revocation-feed+jwt', 'dpop+jwt', ''])(
    'rejects typ %j, which is not at+jwt (RFC 9068 §4)',
    async (typ) => {
      await expectRefused(await writeJws({ ...accessToken.header, typ }, accessToken.payload, accessToken.sign), [
        'token_type',
      ])
    },
  )

  it.each([7, null, ['at+jwt']])('rejects typ %j, which is not a string (RFC 7515 §4.1.9)', async (typ) => {
    await expectRefused(await writeJws({ ...accessToken.header, typ }, accessToken.payload, accessToken.sign), [
      'token_header',
    ])
  })

  it('rejects an ID token as an access token (RFC 9068 §5)', async () => {
    await expectRefused(idToken, ['token_type'])
  })

  const now = 1_790_000_000
  it.each<readonly [string, Readonly<Record<string, unknown>>, string]>([
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
    ].map((iss) => [`iss ${JSON.stringify(iss)} (RFC 9068 §4)`, { iss }, 'token_issuer'] as const),
    ...[undefined, 7, null, {}, '', [7], [''], ['https://api.test', 7], [['https://api.test']]].map(
      (aud) => [`aud ${JSON.stringify(aud)} (RFC 9068 §2.2)`, { aud }, 'token_claims'] as const,
    ),
    ...[
      [],
      'https://as.test',
      ['https://as.test', 'https://other.test'],
      'https://api.test//',
      'http://api.test',
      'https://api.test.evil.test',
      'api.test',
    ].map((aud) => [`aud ${JSON.stringify(aud)} (RFC 9068 §4)`, { aud }, 'token_audience'] as const),
    ...[undefined, null, String(now + 60), 'x', now + 0.5, 0, -1, 1e300, [now + 60], {}, true].map(
      (exp) => [`exp ${JSON.stringify(exp)} (RFC 9068 §2.2)`, { exp }, 'token_claims'] as const,
    ),
    ['exp long past (RFC 7519 §4.1.4)', { exp: now - 60 }, 'token_expired'],
    ['nbf one hour ahead (RFC 7519 §4.1.5)', { nbf: now + 3600 }, 'token_not_yet_valid'],
    ['nbf is a string (RFC 7519 §4.1.5)', { nbf: String(now) }, 'token_not_yet_valid'],
    ['nbf is null (RFC 7519 §4.1.5)', { nbf: null }, 'token_not_yet_valid'],
    ['iat one hour ahead (RFC 9068 §4)', { iat: now + 3600 }, 'token_not_yet_valid'],
    ['no iat (RFC 9068 §2.2)', { iat: undefined }, 'token_claims'],
    ['iat is a string (RFC 9068 §2.2)', { iat: String(now) }, 'token_claims'],
    ...[undefined, '', 7, {}, ['U1'], null, true].map(
      (sub) => [`sub ${JSON.stringify(sub)} (RFC 9068 §2.2)`, { sub }, 'token_claims'] as const,
    ),
    ...[undefined, '', 7, null].map(
      (jti) => [`jti ${JSON.stringify(jti)} (RFC 9068 §2.2)`, { jti }, 'token_claims'] as const,
    ),
    ...[undefined, '', 7, null, ['A']].map(
      (id) => [`client_id ${JSON.stringify(id)} (RFC 9068 §2.2)`, { client_id: id }, 'token_claims'] as const,
    ),
    ...[['api.read'], 7, null, {}].map(
      (scope) => [`scope ${JSON.stringify(scope)} (RFC 9068 §2.2.3)`, { scope }, 'token_claims'] as const,
    ),
    ...[{ jkt: 'x' }, {}, null, ''].map(
      (cnf) => [`cnf ${JSON.stringify(cnf)} (RFC 9449 §7.1)`, { cnf }, 'token_bound'] as const,
    ),
  ])('is rejected: %s', async (_, claims, reason) => {
    await expectRefused(await withClaims(claims), [reason])
  })

  it('tolerates clocks that differ by ten seconds and no more (RFC 7519 §4.1.4)', async () => {
    const seconds = Math.floor(site.preciseClock() / 1000)

    expect(await api.present(await withClaims({ exp: seconds - 8 }))).toBe('admitted')
    expect(await api.present(await withClaims({ exp: seconds - 10 }))).toBe('token_expired')
    expect(await api.present(await withClaims({ iat: seconds + 8, nbf: seconds + 8 }))).toBe('admitted')
    expect(await api.present(await withClaims({ iat: seconds + 13 }))).toBe('token_not_yet_valid')
  })

  it('accepts an aud that contains this API among others (RFC 9068 §4)', async () => {
    expect(await api.present(await withClaims({ aud: ['https://other.test', 'https://api.test'] }))).toBe('admitted')
  })

  it('rejects a token of 64 KiB before parsing it (RFC 8725 §3.10)', async () => {
    await expectRefused(await withClaims({ x: 'x'.repeat(49_152) }), ['token_malformed'])
  })

  it('a thousand unknown key ids cause at most one request (RFC 8725 §3.10)', async () => {
    site.requestedPaths.splice(0)
    const invented = await Promise.all(
      Array.from({ length: 1000 }, (_, count) =>
        writeJws({ ...accessToken.header, kid: `k${count}` }, accessToken.payload, accessToken.sign),
      ),
    )

    const reasons = await Promise.all(invented.map((token) => api.present(token)))

    expect(new Set(reasons)).toEqual(new Set(['token_key_unknown']))
    expect(site.requestedPaths.length).toBeLessThanOrEqual(1)
  })

  it('claims of one token are never used for another (RFC 8725 §3.10)', async () => {
    const userToken = accessToken.token
    const serviceAccessToken = tokensOf(await serviceToken(site, { resource: 'https://api.test' })).access_token
    const rule = introspecting.api.requireAnyToken()

    for (let round = 0; round < 100; round += 1) {
      const tokens = await Promise.all(
        [userToken, serviceAccessToken, userToken].map((token) => rule.admit([`Bearer ${token}`])),
      )

      expect(tokens.map(({ subject }) => subject)).toEqual(['U1', 'M', 'U1'])
    }
  })
})

describe('requests from an API to the authorization server', () => {
  it('rejects a revoked token, and caches the answer for five seconds (RFC 7662 §2.2)', async () => {
    const { access_token } = await tokensFor(site, 'A', forApi)
    const receiver = protectApi(site, { introspection: {} })
    const before = await receiver.present(access_token)
    await revoke(site, access_token)

    const within = await receiver.present(access_token)
    site.clock.advance(5)

    expect([before, within, await receiver.present(access_token)]).toEqual(['admitted', 'admitted', 'token_inactive'])
  })

  it('introspects opaque tokens, and rejects strings of another form without a request (RFC 7662 §4)', async () => {
    const other = await startFeedSite({
      resources: { 'https://api.test': { scopes: ['api.read'], accessTokenFormat: 'opaque' } },
    })
    onTestFinished(() => other.close())
    const { access_token } = tokensOf(await serviceToken(other, { resource: 'https://api.test' }))
    const receiver = protectApi(other, { introspection: {} })

    const token = await receiver.api.require('api.read').admit([`Bearer ${access_token}`])
    other.requestedPaths.splice(0)
    const refused = [
      await receiver.present('x'),
      await receiver.present(`${access_token}=`),
      await receiver.present(access_token.slice(1)),
    ]
    const requests = [...other.requestedPaths]

    expect(token).toMatchObject({ subject: 'M', clientId: 'M', scopes: ['api.read'] })
    expect(refused).toEqual(['token_malformed', 'token_malformed', 'token_malformed'])
    expect(requests).toEqual([])
    expect(await protectApi(other).present(access_token)).toBe('token_malformed')
    await revoke(other, access_token, 'M')
    other.clock.advance(5)
    expect(await receiver.present(access_token)).toBe('token_inactive')
  })

  it('rejects a token that introspection says is for another API (RFC 9068 §4)', async () => {
    const receiver = protectApi(site, {
      introspection: {},
      fetch: async () => Response.json({ ...accessToken.payload, active: true, aud: 'https://other.test' }),
    })

    expect(await receiver.present('A'.repeat(43))).toBe('token_audience')
  })

  it.each<readonly [string, () => Response]>([
    ['no JSON', () => new Response('<html>')],
    ['a list', () => Response.json([])],
    ['no active', () => Response.json({ sub: 'U1' })],
    ['active as a string', () => Response.json({ active: 'true' })],
    ['active as a number', () => Response.json({ active: 1 })],
    ['401', () => Response.json({ error: 'invalid_client' }, { status: 401 })],
    ['503', () => new Response(null, { status: 503 })],
    ['a redirect', () => Response.redirect('https://evil.test', 307)],
    ['more than 64 KiB', () => new Response(`{"active":true,"x":"${'x'.repeat(65_536)}"}`)],
  ])('treats %s in the response as neither active nor inactive (RFC 7662 §2.2)', async (_, answer) => {
    const receiver = protectApi(site, { introspection: {}, fetch: async () => answer() })

    expect(await receiver.present('A'.repeat(43))).toBe('authorization_server_unavailable')
    expect(receiver.refusals.at(-1)?.code).toBe('temporarily_unavailable')
  })

  it('sends its secret only to the authorization server, and the token in the body (RFC 7662 §2.1)', async () => {
    const sent: { url: string; init: RequestInit }[] = []
    const receiver = protectApi(site, {
      introspection: {},
      fetch: async (url, init = {}) => {
        sent.push({ url: new Request(url).url, init })
        return site.fetch(url, init)
      },
    })

    await receiver.present(accessToken.token)

    const [metadata, jwks, introspection] = sent
    expect(sent.map(({ url }) => url)).toEqual([
      'https://as.test/.well-known/oauth-authorization-server',
      'https://as.test/jwks',
      'https://as.test/token/introspection',
    ])
    for (const request of [metadata, jwks]) expect(new Headers(request?.init.headers).has('authorization')).toBe(false)
    expect(introspection?.init).toMatchObject({ method: 'POST', redirect: 'manual' })
    expect(
      readJws(new URLSearchParams(introspection?.init.body as URLSearchParams).get('token') ?? '').payload,
    ).toEqual(accessToken.payload)
  })
})

describe('the scope of an access token', () => {
  it.each<readonly [readonly string[], string]>([
    [[], 'admitted'],
    [['api.read'], 'admitted'],
    [['api.write'], 'scope_missing'],
    [['api.read', 'api.write'], 'scope_missing'],
    [['api'], 'scope_missing'],
    [['API.READ'], 'scope_missing'],
    [['__proto__'], 'scope_missing'],
  ])('scopes %j: %s (RFC 6750 §3.1)', async (scopes, outcome) => {
    expect(await api.present(accessToken.token, ...scopes)).toBe(outcome)
  })

  it.each(['', 'api.read api.write', 'a"b', 'a\\b', 'é'])(
    'require throws at start-up for %j, which is not a scope (RFC 6749 §3.3)',
    (scope) => {
      expect(() => api.api.require(scope)).toThrow(TypeError)
    },
  )

  it('require without a scope is an error at start-up, not a route for every token (RFC 6750 §3.1)', () => {
    const none: readonly string[] = []

    expect(() => api.api.require(...(none as readonly [string]))).toThrow(/requireAnyToken/)
  })

  it('a token without scope is enough where no scope is required (RFC 9068 §2.2.3)', async () => {
    const token = await withClaims({ scope: undefined })

    expect([await api.present(token), await api.present(token, 'api.read')]).toEqual(['admitted', 'scope_missing'])
  })
})
