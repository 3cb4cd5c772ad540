import { protectExpress, protectFetch, type AccessRefusalReason } from '@mintmark/resource-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createProofKey, proofForUserinfo, writeProof, type ProofChange, type ProofKey } from '../support/dpop.ts'
import { protectApi, startFeedSite, type FeedSite, type ProtectedApi } from '../support/feed-site.ts'
import { postAs, serviceToken, tokensOf } from '../support/token-calls.ts'

const origin = 'https://api.test'

let site: FeedSite
let api: ProtectedApi
let key: ProofKey
let thief: ProofKey
let bound: string
let bearer: string
beforeAll(async () => {
  site = await startFeedSite()
  api = protectApi(site, { dpop: { origin } })
  key = await createProofKey()
  thief = await createProofKey()
  const form = { grant_type: 'client_credentials', scope: 'api.read' }
  const headers = { dpop: await writeProof(site, key) }
  bound = tokensOf(await postAs(site, 'M', { path: '/token', form, headers })).access_token
  bearer = tokensOf(await serviceToken(site)).access_token
})
afterAll(() => site.close())

const proofFor = (change: ProofChange = {}, proofKey = key, token = bound): Promise<string> =>
  proofForUserinfo(site, proofKey, token, { ...change, claims: { htu: `${origin}/orders`, ...change.claims } })

/** Sends GET /orders as a proxy does: the URL of the request has another host. */
async function call(headers: Readonly<Record<string, string>>, server = api): Promise<Response> {
  const handler = protectFetch(server.api).require(['api.read'], (_request, token) =>
    Response.json(token.claims['cnf'] ?? null),
  )
  return handler(new Request('http://10.0.0.1/orders?page=2', { headers }))
}

const challengeOf = (response: Response): string | null => response.headers.get('www-authenticate')

describe('an API that accepts DPoP', () => {
  it.each(['DPoP', 'dpop'])('admits a bound token with a proof and the scheme %s (RFC 9449 §7.1)', async (scheme) => {
    const response = await call({ authorization: `${scheme} ${bound}`, dpop: await proofFor() })

    expect([response.status, await response.json()]).toEqual([200, { jkt: key.jkt }])
  })

  it('admits a bearer token that is not bound (RFC 6750 §2.1)', async () => {
    expect((await call({ authorization: `Bearer ${bearer}` })).status).toBe(200)
  })

  it('offers both schemes to a request without a token (RFC 9449 §7.1)', async () => {
    const response = await call({})

    expect([response.status, challengeOf(response)]).toEqual([
      401,
      'DPoP algs="ES256 EdDSA Ed25519 PS256", scope="api.read", resource_metadata="https://api.test/.well-known/oauth-protected-resource", Bearer scope="api.read", resource_metadata="https://api.test/.well-known/oauth-protected-resource"',
    ])
  })

  it.each<readonly [string, () => Promise<Readonly<Record<string, string>>>, AccessRefusalReason]>([
    ['a bound token as a bearer token', () => Promise.resolve({ authorization: `Bearer ${bound}` }), 'token_bound'],
    [
      'a bound token as a bearer token with a proof',
      async () => ({ authorization: `Bearer ${bound}`, dpop: await proofFor() }),
      'token_bound',
    ],
    [
      'a bearer token with a proof',
      async () => ({ authorization: `Bearer ${bearer}`, dpop: await proofFor() }),
      'token_bound',
    ],
    [
      'an unbound token with a proof',
      async () => ({ authorization: `DPoP ${bearer}`, dpop: await proofFor({}, key, bearer) }),
      'token_unbound',
    ],
    [
      'a bound token with the proof of another key',
      async () => ({ authorization: `DPoP ${bound}`, dpop: await proofFor({}, thief) }),
      'token_bound',
    ],
    ['a bound token without a proof', () => Promise.resolve({ authorization: `DPoP ${bound}` }), 'proof_missing'],
    [
      'two proofs',
      async () => ({ authorization: `DPoP ${bound}`, dpop: `${await proofFor()}, ${await proofFor()}` }),
      'proof_malformed',
    ],
    [
      'a proof without ath',
      async () => ({ authorization: `DPoP ${bound}`, dpop: await proofFor({ claims: { ath: undefined } }) }),
      'proof_token_hash',
    ],
    [
      'a proof with the ath of another token',
      async () => ({ authorization: `DPoP ${bound}`, dpop: await proofFor({}, key, bearer) }),
      'proof_token_hash',
    ],
    [
      'a proof for another method',
      async () => ({ authorization: `DPoP ${bound}`, dpop: await proofFor({ claims: { htm: 'POST' } }) }),
      'proof_target',
    ],
    [
      'a proof for the address behind the proxy',
      async () => ({
        authorization: `DPoP ${bound}`,
        dpop: await proofFor({ claims: { htu: 'http://10.0.0.1/orders' } }),
      }),
      'proof_target',
    ],
    [
      'a proof for another path',
      async () => ({ authorization: `DPoP ${bound}`, dpop: await proofFor({ claims: { htu: `${origin}/Orders` } }) }),
      'proof_target',
    ],
    [
      'a proof that is 61 seconds old',
      async () => ({
        authorization: `DPoP ${bound}`,
        dpop: await proofFor({ claims: { iat: site.clock.now() - 61 } }),
      }),
      'proof_time',
    ],
    [
      'a proof from 11 seconds in the future',
      async () => ({
        authorization: `DPoP ${bound}`,
        dpop: await proofFor({ claims: { iat: site.clock.now() + 11 } }),
      }),
      'proof_time',
    ],
    [
      'a proof that another key has signed',
      async () => ({ authorization: `DPoP ${bound}`, dpop: await proofFor({ header: { jwk: key.jwk } }, thief) }),
      'proof_signature',
    ],
  ])('refuses %s (RFC 9449 §4.3, §7.2)', async (_case, headers, reason) => {
    const response = await call(await headers())

    const error = reason.startsWith('proof') ? 'invalid_dpop_proof' : 'invalid_token'
    expect([response.status, await response.json(), api.refusals.at(-1)?.reason]).toEqual([
      401,
      expect.objectContaining({ error }),
      reason,
    ])
    expect(challengeOf(response)?.split(`error="${error}"`)).toHaveLength(2)
  })

  it('accepts exactly one of 20 concurrent requests with the same proof (RFC 9449 §11.1)', async () => {
    const headers = { authorization: `DPoP ${bound}`, dpop: await proofFor() }

    const responses = await Promise.all(Array.from({ length: 20 }, () => call(headers)))

    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(api.refusals.at(-1)?.reason).toBe('proof_replayed')
  })

  it('refuses a used proof in another process too when both share the record of used proofs (RFC 9449 §11.1)', async () => {
    const used = new Set<string>()
    const replays = {
      markUsed: (value: string) => Promise.resolve(!used.has(value) && used.add(value).size > 0),
    }
    const [one, two] = [
      protectApi(site, { dpop: { origin, replays } }),
      protectApi(site, { dpop: { origin, replays } }),
    ]
    const headers = { authorization: `DPoP ${bound}`, dpop: await proofFor() }

    expect([(await call(headers, one)).status, (await call(headers, two)).status]).toEqual([200, 401])
  })

  it('refuses bearer tokens when the API requires DPoP (RFC 9449 §7.2)', async () => {
    const strict = protectApi(site, { dpop: { origin, required: true } })

    const response = await call({ authorization: `Bearer ${bearer}` }, strict)

    expect([response.status, strict.refusals.at(-1)?.reason]).toEqual([401, 'bearer_missing'])
    expect(challengeOf(response)).toMatch(/^DPoP algs="[^"]+", scope="api.read", resource_metadata="[^"]+"$/)
  })

  it('refuses the DPoP scheme without the option dpop (RFC 6750 §3.1)', async () => {
    const response = await call({ authorization: `DPoP ${bound}`, dpop: await proofFor() }, protectApi(site))

    expect(response.status).toBe(401)
    expect(challengeOf(response)).toMatch(/^Bearer scope=/)
  })

  it('works below a mount path of Express (RFC 9449 §4.3)', async () => {
    const guard = protectExpress(api.api)
    const dpop = await proofFor()
    const rawHeaders = ['Authorization', `DPoP ${bound}`, 'DPoP', dpop]
    const request = { method: 'GET', url: '/', originalUrl: '/orders', rawHeaders }
    let admitted = false

    await guard.requireAnyToken()(request, { statusCode: 0, setHeader: () => undefined, end: () => undefined }, () => {
      admitted = true
    })

    expect([admitted, guard.token(request).subject]).toEqual([true, 'M'])
  })

  it.each([
    { origin: 'https://api.test/' },
    { origin: 'api.test' },
    { origin, nonces: true },
    { origin, required: 'yes' },
  ])('does not start with the option dpop: %j (RFC 9449 §4.3)', (dpop) => {
    expect(() => protectApi(site, { dpop: dpop as { origin: string } })).toThrow(/^createResourceServer: dpop/)
  })
})
