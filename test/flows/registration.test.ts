import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { toNodeListener } from '@mintmark/adapter-node'
import { createAdministration } from '@mintmark/admin'
import { createAuthorizationServer, createMemoryRateLimiter, createStoredKeys } from '@mintmark/core'
import {
  createRegistrationServer,
  type RegistrationEvent,
  type RegistrationServerOptions,
} from '@mintmark/registration'
import { epochSeconds } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import * as openid from 'openid-client'
import { describe, expect, onTestFinished, test } from 'vitest'

const metadata = { client_name: 'Partner', redirect_uris: ['https://partner.example/cb'] }

describe('with an initial access token (RFC 7591 §3)', () => {
  test('openid-client registers a client from the discovery document, which can then authenticate', async () => {
    const site = await start()
    const token = await site.createToken()

    const client = await openid.dynamicClientRegistration(
      new URL(site.issuer),
      { ...metadata, scope: 'openid profile email' },
      openid.ClientSecretBasic(),
      { initialAccessToken: token, execute: [openid.allowInsecureRequests] },
    )

    expect(client.serverMetadata().registration_endpoint).toBe(`${site.issuer}/register`)
    expect(client.clientMetadata()).toMatchObject({
      ...metadata,
      client_secret_expires_at: 0,
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
      // What the token does not allow is left out (RFC 7591 §2).
      scope: 'openid profile',
    })
    await expect(openid.tokenIntrospection(client, 'unknown')).resolves.toEqual({ active: false })
    const stored = await site.storage.clients.list({ after: undefined, limit: 10 })
    expect(stored).toMatchObject([{ origin: 'registration', clientName: 'Partner', scopes: ['openid', 'profile'] }])
    expect(site.events).toMatchObject([{ type: 'client.registered', tokenId: token.split('.')[0] }])
    expect(JSON.stringify(site.events)).not.toContain(token.split('.')[1])
  })

  test('of ten concurrent registrations with a token for three, three succeed', async () => {
    const site = await start()
    const token = await site.createToken({ clients: 3 })

    const answers = await Promise.all(Array.from({ length: 10 }, async () => site.register(metadata, token)))

    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual([
      '201',
      '201',
      '201',
      ...Array<string>(7).fill('403'),
    ])
    expect(await site.storage.clients.list({ after: undefined, limit: 20 })).toHaveLength(3)
  })

  test('a refused registration spends and stores nothing', async () => {
    const site = await start()
    const token = await site.createToken({ clients: 1 })

    expect(await site.register({ ...metadata, redirect_uris: ['https://evil.example/cb'] }, token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_redirect_uri', error_description: 'redirect_uris may be at partner.example.' },
    })
    expect(await site.storage.clients.list({ after: undefined, limit: 10 })).toEqual([])
    expect((await site.register(metadata, token)).status).toBe(201)
  })

  test.each([
    ['no token', 'token_missing', undefined],
    ['a token without secret', 'token_invalid', (token: string) => token.split('.')[0] ?? ''],
    ['a wrong secret', 'token_invalid', (token: string) => `${token.split('.')[0]}.${'A'.repeat(43)}`],
    ['an unknown token', 'token_invalid', (token: string) => `unknown.${token.split('.')[1]}`],
  ])('refuses %s with 401 before it reads the body', async (_, reason, change) => {
    const site = await start()
    const token = await site.createToken()

    const answer = await site.register('not JSON', change?.(token))

    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="registration"/)
    expect(site.events).toMatchObject([{ type: 'registration.refused', reason }])
  })

  test('refuses an expired and a revoked token', async () => {
    const site = await start()
    const expired = await site.createToken({ lifetime: 60 })
    const revoked = await site.createToken()
    await site.admin.initialAccessTokens.revoke(revoked.split('.')[0] ?? '')

    expect((await site.register(metadata, revoked)).status).toBe(401)
    expect((await site.register(metadata, expired)).status).toBe(201)
    site.advance(60)
    expect((await site.register(metadata, expired)).status).toBe(401)
  })

  test.each([
    ['another grant', { grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    ['no scope of its own', { scope: 'admin:write' }, 'invalid_client_metadata'],
    ['a logout address elsewhere', { backchannel_logout_uri: 'https://evil.example/out' }, 'invalid_client_metadata'],
    ['redirect URIs of the wrong type', { redirect_uris: 'https://partner.example/cb' }, 'invalid_redirect_uri'],
    ['no redirect URI', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['a plain http redirect URI', { redirect_uris: ['http://partner.example/cb'] }, 'invalid_redirect_uri'],
    ['a method of our own name', { token_endpoint_auth_method: 'client_secret' }, 'invalid_client_metadata'],
    [
      'keys and their address',
      { jwks: { keys: [] }, jwks_uri: 'https://partner.example/k' },
      'invalid_client_metadata',
    ],
    [
      'a private key',
      { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{ kty: 'oct', k: 'AA' }] } },
      'invalid_client_metadata',
    ],
    ['a name with U+0000', { client_name: 'a\u0000b' }, 'invalid_client_metadata'],
    ['a name that is not a text', { client_name: { en: 'x' } }, 'invalid_client_metadata'],
    ['a name of half a megabyte', { client_name: 'a'.repeat(60_000) }, 'invalid_client_metadata'],
    ['an unknown algorithm', { id_token_signed_response_alg: 'none' }, 'invalid_client_metadata'],
    ['nested arrays', { x: JSON.parse('['.repeat(2000) + ']'.repeat(2000)) as unknown }, 'invalid_client_metadata'],
  ])('refuses %s', async (_, change, error) => {
    const site = await start()
    const token = await site.createToken()

    expect(await site.register({ ...metadata, ...change }, token)).toMatchObject({ status: 400, body: { error } })
    expect(await site.storage.clients.list({ after: undefined, limit: 10 })).toEqual([])
  })

  test('ignores members that it does not know, and those of administrators', async () => {
    const site = await start()

    const { status, body } = await site.register(
      {
        ...metadata,
        x_color: 'red',
        served_audiences: ['https://api.example'],
        resources: ['https://api.example'],
        organization_id: 'acme',
        allow_token_endpoint_audience: true,
        client_id: 'ADM',
      },
      await site.createToken(),
    )

    expect(status).toBe(201)
    expect(body).not.toHaveProperty('x_color')
    expect(body['client_id']).not.toBe('ADM')
    const [client] = await site.storage.clients.list({ after: undefined, limit: 10 })
    expect(client).toMatchObject({
      servedAudiences: [],
      resources: undefined,
      organizationId: undefined,
      allowTokenEndpointAudience: false,
    })
  })

  test('answers 405, 413 and 415 where they belong, and 404 only elsewhere', async () => {
    const site = await start()
    const headers = { authorization: `Bearer ${await site.createToken()}` }
    const url = `${site.issuer}/register`

    expect((await fetch(url, { headers })).status).toBe(405)
    expect((await fetch(url, { method: 'POST', headers, body: 'a=b' })).status).toBe(415)
    const json = { ...headers, 'content-type': 'application/json' }
    expect((await fetch(url, { method: 'POST', headers: json, body: 'x'.repeat(70_000) })).status).toBe(413)
    expect((await fetch(`${url}/x`, { method: 'POST', headers: json, body: '{}' })).status).toBe(404)
  })
})

describe('with a software statement (RFC 7591 §2.3)', () => {
  test('registers a client whose statement a trusted issuer signed, and its claims count', async () => {
    const { trusted, sign } = await anIssuer()
    const site = await start({ softwareStatements: [trusted] })

    const statement = await sign({ client_name: 'Signed', software_id: 's1' })
    const answer = await site.register({ ...metadata, client_name: 'Other', software_statement: statement })

    expect(answer).toMatchObject({ status: 201, body: { client_name: 'Signed', software_statement: statement } })
    expect(site.events).toMatchObject([{ type: 'client.registered', statementIssuer: trusted.issuer }])
  })

  test('refuses statements of others, forged ones, expired ones, and none at all', async () => {
    const { trusted, sign } = await anIssuer()
    const forger = await anIssuer()
    const stranger = await anIssuer('https://stranger.example')
    const site = await start({ softwareStatements: [trusted] })
    const errorOf = async (statement: unknown) =>
      (await site.register({ ...metadata, software_statement: statement })).body['error']

    expect(await errorOf(await stranger.sign({}))).toBe('unapproved_software_statement')
    expect(await errorOf(await forger.sign({}))).toBe('invalid_software_statement')
    expect(await errorOf(await sign({ exp: 1 }))).toBe('invalid_software_statement')
    expect(await errorOf('x.y.z')).toBe('invalid_software_statement')
    expect(await errorOf({})).toBe('invalid_software_statement')
    expect((await site.register(metadata)).status).toBe(401)
    expect(await site.storage.clients.list({ after: undefined, limit: 10 })).toEqual([])
  })

  test('limits how many clients an issuer registers', async () => {
    const { trusted, sign } = await anIssuer()
    const statementLimit = createMemoryRateLimiter({ points: 1, window: 60 })
    const site = await start({ softwareStatements: [trusted], statementLimit })
    const register = async () => site.register({ ...metadata, software_statement: await sign({}) })

    expect((await register()).status).toBe(201)
    const refused = await register()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    expect(await site.storage.clients.list({ after: undefined, limit: 10 })).toHaveLength(1)
  })
})

test('an option that does not exist is refused at start-up', async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const options = { issuer: 'https://as.test', storage, softwareStatement: [] }

  expect(() => createRegistrationServer(options)).toThrow('softwareStatement')
})

test('an administrator gives no scope value that they do not have', async () => {
  const site = await start()

  await expect(site.createToken({ scopes: [] })).rejects.toMatchObject({ reason: 'initial_access_token_invalid' })
  await expect(site.createToken({ clients: 0 })).rejects.toMatchObject({ reason: 'initial_access_token_invalid' })
})

async function start(options: Partial<RegistrationServerOptions> = {}) {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  onTestFinished(() => void listener.close())
  const issuer = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
  const storage = createMemoryStorage({ issuer })
  let now = Math.floor(Date.now() / 1000)
  const clock = () => epochSeconds(now)
  const events: RegistrationEvent[] = []
  const keys = createStoredKeys({ storage, sealingKey: 'A'.repeat(43), algorithms: ['ES256'] })
  const registration = createRegistrationServer({
    issuer,
    storage,
    clock,
    onEvent: (event) => void events.push(event),
    ...options,
  })
  const server = createAuthorizationServer({
    issuer,
    storage,
    keys,
    signedIn: async () => undefined,
    discovery: { registrationEndpoint: registration.endpoint },
  })
  listener.on('request', toNodeListener(server, registration))
  const admin = createAdministration({ storage, clock }).as({ kind: 'host', id: 'test' })

  return {
    issuer,
    storage,
    events,
    admin,
    advance: (seconds: number) => void (now += seconds),
    createToken: async (change: Partial<Parameters<typeof admin.initialAccessTokens.create>[0]> = {}) => {
      const token = { displayName: 'Partner', clients: 5, lifetime: 3600, scopes: ['openid', 'profile'] }
      const created = await admin.initialAccessTokens.create({
        ...token,
        redirectHosts: ['partner.example'],
        ...change,
      })
      return created.initialAccessToken
    },
    register: async (body: unknown, token?: string) => {
      const response = await fetch(`${issuer}/register`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(body),
      })
      const { status, headers } = response
      return { status, headers, body: (await response.json()) as Readonly<Record<string, unknown>> }
    },
  }
}

async function anIssuer(issuer = 'https://trust.example') {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256' }] }
  const policy = { grantTypes: ['authorization_code'], scopes: ['openid'], redirectHosts: [] }
  return {
    trusted: { issuer, jwks, ...policy },
    sign: async (claims: Readonly<Record<string, unknown>>) =>
      new SignJWT({ iss: issuer, ...claims }).setProtectedHeader({ alg: 'ES256' }).sign(privateKey),
  }
}
