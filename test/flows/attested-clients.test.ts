import { toFetch } from '@mintmark/adapter-fetch'
import { attestedClients, registerClient } from '@mintmark/core'
import { clientId } from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage, type MemoryDatabase } from '@mintmark/storage-interface/memory'
import * as fc from 'fast-check'
import * as oauth from 'oauth4webapi'
import { exportJWK, generateKeyPair, type JSONWebKeySet, SignJWT } from 'jose'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { dumpDatabase } from '../support/dump-database.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { authorize, basic, encode, obtainCode, postForm, redeem, type Change } from '../support/flow.ts'
import { expectJsonRefusal } from '../support/expect-refusal.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

// Attestation-Based Client Authentication, the draft of 6 October 2026, with a PoP JWT.

const issuer = 'https://as.test'

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>

let attester: KeyPair
let phone: KeyPair
let tablet: KeyPair
let attesterKeys: JSONWebKeySet
beforeAll(async () => {
  const pair = () => generateKeyPair('ES256', { extractable: true })
  ;[attester, phone, tablet] = [await pair(), await pair(), await pair()]
  attesterKeys = { keys: [{ ...(await exportJWK(attester.publicKey)), kid: 'attester' }] }
})

let site: ServerUnderTest
let database: MemoryDatabase
beforeEach(async () => {
  database = createMemoryDatabase()
  const storage = createMemoryStorage({ issuer, database })
  const attested = attestedClients({
    storage,
    attesterKeys: (client) => Promise.resolve(client.clientId === 'Phone' ? attesterKeys : undefined),
  })
  const server = await startServer({ storage, clientAuthentication: [attested] })
  site = { ...server, dump: () => dumpDatabase(database, issuer) }
  const app = {
    clientName: 'Phone app',
    tokenEndpointAuthMethod: attested.method,
    redirectUris: ['https://app.test/cb'],
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
    scopes: ['openid', 'profile', 'offline_access', 'api.read'],
  } as const
  const dependencies = { storage, clientRules: server.server.clientRules }
  await registerClient({ ...app, clientId: 'Phone' }, dependencies)
  await registerClient({ ...app, clientId: 'Other' }, dependencies)
})
afterEach(() => site.close())

type Claims = Readonly<Record<string, unknown>>

interface Changes {
  readonly attestation?: Claims
  readonly attestationHeader?: object
  readonly attestedBy?: KeyPair
  readonly proof?: Claims
  readonly proofHeader?: object
  readonly provenBy?: KeyPair
  readonly instance?: KeyPair
}

let serial = 0

/** Returns the attestation header and the proof header of an instance. */
async function headersOf(changes: Changes = {}): Promise<Record<string, string>> {
  const { instance = phone, attestedBy = attester, provenBy = instance } = changes
  const now = site.clock.now()
  const attestation = {
    sub: 'Phone',
    iat: now - 60,
    exp: now + 3600,
    cnf: { jwk: await exportJWK(instance.publicKey) },
  }
  const proof = { aud: issuer, jti: `proof ${(serial += 1)}`, iat: now }
  const sign = (claims: Claims, header: object, key: KeyPair): Promise<string> =>
    new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', ...header }).sign(key.privateKey)
  return {
    'oauth-client-attestation': await sign(
      { ...attestation, ...changes.attestation },
      { typ: 'oauth-client-attestation+jwt', kid: 'attester', ...changes.attestationHeader },
      attestedBy,
    ),
    'oauth-client-attestation-pop': await sign(
      { ...proof, ...changes.proof },
      { typ: 'oauth-client-attestation-pop+jwt', ...changes.proofHeader },
      provenBy,
    ),
  }
}

const ask = (headers: Record<string, string>, form: Change = {}, path = '/token'): Promise<Reply> =>
  postForm(site, path, encode({ grant_type: 'client_credentials', scope: 'api.read', ...form }), headers)

const refusedClient = { status: 401, error: 'invalid_client' } as const

describe('an attested instance', () => {
  it.each([{}, { client_id: 'Phone' }])('authenticates its client, with form %o', async (form) => {
    const reply = await ask(await headersOf(), form)

    expect([reply.status, reply.json['token_type'], reply.json['scope']]).toEqual([200, 'Bearer', 'api.read'])
  })

  it.each(['/token/introspection', '/token/revocation', '/auth/push'])('authenticates at %s', async (path) => {
    const form = {
      token: 'x',
      response_type: 'code',
      redirect_uri: 'https://app.test/cb',
      code_challenge: 'x'.repeat(43),
    }

    const reply = await ask(await headersOf(), { ...form, scope: 'openid', code_challenge_method: 'S256' }, path)

    expect(reply.status).toBeLessThan(300)
    await expectJsonRefusal(site, refusedClient, {
      send: async () => ask(await headersOf({ provenBy: tablet }), form, path),
      reason: 'client_credentials_wrong',
    })
  })

  it('may name its key in the proof if the attestation has the same key (§7.2)', async () => {
    expect((await ask(await headersOf({ proofHeader: { kid: 'any' } }))).status).toBe(200)
  })

  it('authenticates with oauth4webapi', async () => {
    const serve = toFetch(site.server)
    const options = {
      [oauth.customFetch]: (url: string, init: object) => serve(new Request(url, init)),
    }
    const found = await oauth.discoveryRequest(new URL(issuer), options)
    const server = await oauth.processDiscoveryResponse(new URL(issuer), found)
    const sent = await headersOf()
    const attested: oauth.ClientAuth = (_server, _client, _body, headers) => {
      for (const [name, value] of Object.entries(sent)) headers.set(name, value)
    }
    const client = { client_id: 'Phone' }

    const response = await oauth.clientCredentialsGrantRequest(server, client, attested, { scope: 'api.read' }, options)

    const tokens = await oauth.processClientCredentialsResponse(server, client, response)
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'api.read' })
  })

  it('may use its attestation again with a new proof', async () => {
    const first = await headersOf()
    const second = { ...(await headersOf()), 'oauth-client-attestation': first['oauth-client-attestation'] ?? '' }

    expect([(await ask(first)).status, (await ask(second)).status]).toEqual([200, 200])
  })

  it('is listed in discovery with its algorithms (§8)', async () => {
    const { json } = await site.send({ path: '/.well-known/openid-configuration' })

    expect(json['token_endpoint_auth_methods_supported']).toContain('attest_jwt_client_auth')
    expect(json['client_attestation_signing_alg_values_supported']).toContain('ES256')
    expect(json['client_attestation_pop_signing_alg_values_supported']).toEqual(
      json['client_attestation_signing_alg_values_supported'],
    )
  })
})

describe('client authentication by attestation', () => {
  const none = generateKeyPair('ES256', { extractable: true })
  const seconds = (from: number) => site.clock.now() + from

  it.each<readonly [string, () => Changes | Promise<Changes>]>([
    ['that another key signed (§7.1)', () => ({ attestedBy: tablet })],
    ['that the instance signed itself (§7.1)', () => ({ attestedBy: phone })],
    [
      'whose header contains the public key of its signer (§7.1)',
      async () => ({
        attestedBy: tablet,
        attestationHeader: { kid: undefined, jwk: await exportJWK(tablet.publicKey) },
      }),
    ],
    ['of another type (§4)', () => ({ attestationHeader: { typ: 'JWT' } })],
    ['without a type (§4)', () => ({ attestationHeader: { typ: undefined } })],
    ['without a time of issue (§4)', () => ({ attestation: { iat: undefined } })],
    ['without an expiry (§4)', () => ({ attestation: { exp: undefined } })],
    ['without a key (§4)', () => ({ attestation: { cnf: undefined } })],
    ['with a thumbprint instead of a key (§4)', () => ({ attestation: { cnf: { jkt: 'x'.repeat(43) } } })],
    ['with a private key (§7.1)', async () => ({ attestation: { cnf: { jwk: await exportJWK(phone.privateKey) } } })],
    ['with a symmetric key (§5.1)', () => ({ attestation: { cnf: { jwk: { kty: 'oct', k: 'AAAA' } } } })],
    [
      'with a list of keys (§4)',
      async () => ({
        attestation: { cnf: { jwk: [await exportJWK(phone.publicKey)] } },
      }),
    ],
    ['whose proof another instance signed (§7.2)', async () => ({ provenBy: await none })],
    ['whose proof is of another type (§5.1)', () => ({ proofHeader: { typ: 'dpop+jwt' } })],
    ['whose proof is for another server (§7.2)', () => ({ proof: { aud: 'https://evil.test' } })],
    ['whose proof is for two servers (§5.1)', () => ({ proof: { aud: [issuer, 'https://evil.test'] } })],
    ['whose proof is for an endpoint (§5.1)', () => ({ proof: { aud: `${issuer}/token` } })],
    ['whose proof has no identifier (§5.1)', () => ({ proof: { jti: undefined } })],
    ['whose proof has the identifier __proto__', () => ({ proof: { jti: '__proto__' } })],
    ['whose proof has no time (§5.1)', () => ({ proof: { iat: undefined } })],
    ['whose proof is old (§7.2)', () => ({ proof: { iat: seconds(-61) } })],
    ['whose proof is dated in the future (§7.2)', () => ({ proof: { iat: seconds(11) } })],
    ['that is not valid yet (RFC 7519 §4.1.5)', () => ({ attestation: { nbf: seconds(11) } })],
    ['whose proof is not valid yet (RFC 7519 §4.1.5)', () => ({ proof: { nbf: seconds(11) } })],
    ['whose proof has expired (RFC 7519 §4.1.4)', () => ({ proof: { exp: seconds(-10) } })],
    ['whose proof has a string as its expiry (RFC 7519 §4.1.4)', () => ({ proof: { exp: 'later' } })],
  ])('refuses an attestation %s', async (_, changes) => {
    const headers = await headersOf(await changes())

    await expectJsonRefusal(site, refusedClient, { send: () => ask(headers), reason: 'client_credentials_wrong' })
  })

  it.each([-60, 10])('accepts a proof dated %d seconds from now', async (difference) => {
    expect((await ask(await headersOf({ proof: { iat: seconds(difference) } }))).status).toBe(200)
  })

  it.each([{ exp: 1 }, { iat: 10 }])('accepts an attestation whose times are %o seconds from now', async (times) => {
    const attestation = Object.fromEntries(Object.entries(times).map(([name, from]) => [name, seconds(from)]))

    expect((await ask(await headersOf({ attestation }))).status).toBe(200)
  })

  it.each([{ exp: 0 }, { iat: 11 }])(
    'asks for a fresh attestation when its times are %o seconds from now (§7.4)',
    async (times) => {
      const attestation = Object.fromEntries(Object.entries(times).map(([name, from]) => [name, seconds(from)]))

      await expectJsonRefusal(
        site,
        { status: 400, error: 'use_fresh_attestation' },
        { send: async () => ask(await headersOf({ attestation })), reason: 'attestation_expired' },
      )
    },
  )

  it('accepts a proof only once, even in concurrent requests (§12.1)', async () => {
    const headers = await headersOf()

    const replies = await Promise.all([ask(headers), ask(headers), ask(headers)])

    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401])
  })

  it('refuses an attestation for a client that the attester may not attest (§7.1)', async () => {
    const headers = await headersOf({ attestation: { sub: 'Other' } })

    await expectJsonRefusal(site, refusedClient, { send: () => ask(headers), reason: 'client_credentials_wrong' })
  })

  it.each([
    ['an unknown client', 'Nobody', 'client_unknown'],
    ['a client with a secret', 'M', 'client_authentication_method'],
    ['a public client', 'P', 'client_authentication_method'],
  ] as const)('refuses an attestation for %s', async (_, sub, reason) => {
    await expectJsonRefusal(site, refusedClient, {
      send: async () => ask(await headersOf({ attestation: { sub } })),
      reason,
    })
  })

  it('refuses an attestation with the client_id of another client (§7.5)', async () => {
    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_request' },
      { send: async () => ask(await headersOf(), { client_id: 'Other' }), reason: 'client_id_contradicted' },
    )
  })

  it('refuses an attestation together with a client secret (RFC 6749 §2.3)', async () => {
    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_request' },
      {
        send: async () => ask({ ...(await headersOf()), authorization: basic('M', site.clients.M.secret) }),
        reason: 'client_authentication_twice',
      },
    )
  })

  it.each(['oauth-client-attestation', 'oauth-client-attestation-pop'])(
    'refuses a request whose header %s is missing, repeated or malformed (§7.1)',
    async (name) => {
      const headers = await headersOf()
      const [value = ''] = [headers[name]]

      for (const changed of ['', `${value}, ${value}`, `${value}.x`, 'x'])
        await expectJsonRefusal(site, refusedClient, {
          send: () => ask({ ...headers, [name]: changed }),
          reason: 'client_unknown',
        })
    },
  )

  it('refuses headers with random contents', async () => {
    const part = fc.oneof(fc.base64String(), fc.json(), fc.constantFrom('', 'e30', 'eyJhbGciOiJub25lIn0'))
    const text = fc.oneof(
      fc.array(part, { maxLength: 6 }).map((parts) => parts.join('.')),
      fc.string(),
    )
    await fc.assert(
      fc.asyncProperty(text, text, async (attestation, proof) => {
        const clean = (value: string) => value.replaceAll(/[^\x21-\x7E]/g, 'x') || 'x'
        const reply = await ask({
          'oauth-client-attestation': clean(attestation),
          'oauth-client-attestation-pop': clean(proof),
        })
        expect(reply.status === 401 || reply.status === 429).toBe(true)
      }),
      { numRuns: 60 },
    )
  })
})

it('an attested client needs PKCE, because another instance could redeem its code (RFC 9700 §2.1.1)', async () => {
  const change = { client_id: 'Phone', scope: 'openid', code_challenge: undefined, code_challenge_method: undefined }

  const reply = await authorize(site, change)

  expect([reply.location.searchParams.get('error'), site.lastReason()]).toEqual([
    'invalid_request',
    'code_challenge_missing',
  ])
})

describe('a refresh token of an attested instance', () => {
  async function tokensOf(instance: KeyPair): Promise<string> {
    const code = await obtainCode(site, { client_id: 'Phone', scope: 'openid offline_access' })
    const reply = await redeem(site, code, {}, { authorization: '', ...(await headersOf({ instance })) })
    expect([reply.status, reply.json['token_type']]).toEqual([200, 'Bearer'])
    return String(reply.json['refresh_token'])
  }
  const refresh = (refreshToken: string, headers: Record<string, string>): Promise<Reply> =>
    ask(headers, { grant_type: 'refresh_token', scope: undefined, refresh_token: refreshToken })

  it('can be used by its instance, and by no other instance of the client (§10.3)', async () => {
    const token = await tokensOf(phone)

    const replies = site.events.length
    const stolen = await refresh(token, await headersOf({ instance: tablet }))
    expect([stolen.status, stolen.json['error']]).toEqual([400, 'invalid_grant'])
    expect(site.events.slice(replies)).toMatchObject([{ reason: 'refresh_token_key_mismatch' }])
    const renewed = await refresh(token, await headersOf())
    expect(renewed.status).toBe(200)
    expect((await refresh(String(renewed.json['refresh_token']), await headersOf())).status).toBe(200)
  })

  it('is not usable when the client authenticates by another method later (§10.3)', async () => {
    const token = await tokensOf(phone)
    await changeClient(site.storage, clientId('Phone'), { tokenEndpointAuthMethod: 'none', requirePkce: true })

    const reply = await refresh(token, { authorization: '' })
    const named = await ask(
      {},
      { grant_type: 'refresh_token', scope: undefined, refresh_token: token, client_id: 'Phone' },
    )

    expect([reply.status, named.status, named.json['error']]).toEqual([401, 400, 'invalid_grant'])
  })
})

it('attestedClients throws an error that names a missing or unknown option', () => {
  const storage = createMemoryStorage({ issuer })

  expect(() => attestedClients({ storage } as never)).toThrow(/attestedClients.*attesterKeys/)
  expect(() => attestedClients({ storage, attesterKeys: async () => undefined, attester: 1 } as never)).toThrow(
    'attester',
  )
})
