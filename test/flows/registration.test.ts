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
import { clientId, epochSeconds, type ClientRecord } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { CompactSign, exportJWK, generateKeyPair, SignJWT } from 'jose'
import * as openid from 'openid-client'
import { describe, expect, onTestFinished, test } from 'vitest'

import { plainRequest } from '../support/plain-request.ts'

const metadata = { client_name: 'Partner', redirect_uris: ['https://partner.example/cb'] }

describe('with an initial access token (RFC 7591 §3)', () => {
  test('openid-client finds the endpoint in the discovery document and registers a client, which can then authenticate', async () => {
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
      // The server leaves out scope values that the token does not allow (RFC 7591 §2).
      scope: 'openid profile',
    })
    await expect(openid.tokenIntrospection(client, 'unknown')).resolves.toEqual({ active: false })
    const stored = await site.storage.clients.list({ after: undefined, limit: 10 })
    expect(stored).toMatchObject([{ origin: 'registration', clientName: 'Partner', scopes: ['openid', 'profile'] }])
    expect(site.events).toMatchObject([{ type: 'client.registered', tokenId: token.split('.')[0] }])
    expect(JSON.stringify(site.events)).not.toContain(token.split('.')[1])
  })

  test('leaves out grant types that the token does not allow, and the answer shows it (RFC 7591 §3.2.1)', async () => {
    const site = await start()

    const answer = await site.register(
      { ...metadata, grant_types: ['authorization_code', 'client_credentials'] },
      await site.createToken(),
    )

    expect(answer).toMatchObject({ status: 201, body: { grant_types: ['authorization_code'] } })
  })

  test('an empty scope means the same as none: all scope values of the token (RFC 7591 §2)', async () => {
    const site = await start()

    const answer = await site.register({ ...metadata, scope: '' }, await site.createToken())

    expect(answer).toMatchObject({ status: 201, body: { scope: 'openid profile' } })
  })

  test('leaves out invisible characters and direction overrides of a name, and the answer shows it (RFC 7591 §3.2.1)', async () => {
    const site = await start()

    const answer = await site.register({ ...metadata, client_name: 'My\u200B \u202EBank' }, await site.createToken())

    expect(answer).toMatchObject({ status: 201, body: { client_name: 'My Bank' } })
    const stored = await site.storage.clients.list({ after: undefined, limit: 10 })
    expect(stored).toMatchObject([{ clientName: 'My Bank' }])
  })

  test('of ten concurrent registrations with a token for three clients, three succeed', async () => {
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

  test('a refused registration stores nothing and does not use up the token', async () => {
    const site = await start()
    const token = await site.createToken({ clients: 1 })

    expect(await site.register({ ...metadata, redirect_uris: ['https://evil.example/cb'] }, token)).toMatchObject({
      status: 400,
      body: {
        error: 'invalid_redirect_uri',
        error_description: 'The hosts of redirect_uris may only be partner.example.',
      },
    })
    expect(await site.storage.clients.list({ after: undefined, limit: 10 })).toEqual([])
    expect((await site.register(metadata, token)).status).toBe(201)
  })

  test.each([
    ['client_uri', 'https://evil.example/about'],
    ['policy_uri', 'https://evil.example/privacy'],
    ['tos_uri', 'https://evil.example/terms'],
    ['logo_uri', 'https://evil.example/logo.png'],
    ['jwks_uri', 'https://evil.example/keys'],
    ['initiate_login_uri', 'https://evil.example/login'],
    ['sector_identifier_uri', 'https://evil.example/list'],
    ['backchannel_logout_uri', 'https://evil.example/logout'],
    ['frontchannel_logout_uri', 'https://evil.example/frame'],
    ['post_logout_redirect_uris', ['https://partner.example/bye', 'https://evil.example/bye']],
  ])('refuses %s at a host that the token does not allow (RFC 7591 §5)', async (name, value) => {
    const site = await start()

    const answer = await site.register({ ...metadata, [name]: value }, await site.createToken())

    expect(answer).toMatchObject({
      status: 400,
      body: {
        error: 'invalid_client_metadata',
        error_description: `The hosts of ${name} may only be partner.example.`,
      },
    })
  })

  test('keeps initiate_login_uri and returns it, and refuses one without TLS (OIDC Core §4, OIDC Registration §2)', async () => {
    const site = await start()
    const token = await site.createToken()
    const { body } = await site.register({ ...metadata, initiate_login_uri: 'https://partner.example/start' }, token)

    const read = await site.ownRegistration(body)('GET')
    const refused = await site.register({ ...metadata, initiate_login_uri: 'http://partner.example/start' }, token)

    expect([body['initiate_login_uri'], read.body['initiate_login_uri']]).toEqual(
      Array<string>(2).fill('https://partner.example/start'),
    )
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } })
    expect(await site.server.initiateLoginUrl(String(body['client_id']), { loginHint: 'kim' })).toBe(
      `https://partner.example/start?iss=${encodeURIComponent(site.issuer)}&login_hint=kim`,
    )
    expect(await site.server.initiateLoginUrl('unknown')).toBeUndefined()
  })

  test('limits attempts that make the server fetch a document, which do not use up the token (RFC 7591 §5)', async () => {
    const { fetch, requests } = answeringNothing()
    const limit = createMemoryRateLimiter({ points: 3, window: 60 })
    const site = await start({ fetch, limit })
    const token = await site.createToken({ clients: 1 })
    const unlisted = { ...metadata, subject_type: 'pairwise', sector_identifier_uri: 'https://partner.example/list' }

    const answers = await Promise.all(Array.from({ length: 10 }, async () => site.register(unlisted, token)))

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      400,
      400,
      400,
      ...Array<number>(7).fill(429),
    ])
    expect(requests()).toBe(3)
    expect((await site.register(metadata, token)).status).toBe(201)
  })

  test('sends at most eight requests to a host at once, whoever registers (RFC 7591 §5)', async () => {
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => void (release = resolve))
    const { fetch, requests } = answeringNothing(released)
    const site = await start({ fetch })
    const tokens = await Promise.all(Array.from({ length: 9 }, async () => site.createToken()))
    const unlisted = { ...metadata, sector_identifier_uri: 'https://partner.example/list' }

    const answers = tokens.map(async (token) => site.register(unlisted, token))
    // The ninth is refused while the others wait.
    const refused = await Promise.race(answers)
    release()

    expect(refused.status).toBe(400)
    await Promise.all(answers)
    expect(requests()).toBe(8)
  })

  test.each([
    ['a missing token', 'token_missing', undefined],
    ['a token without its secret', 'token_invalid', (token: string) => token.split('.')[0] ?? ''],
    ['a wrong secret', 'token_invalid', (token: string) => `${token.split('.')[0]}.${'A'.repeat(43)}`],
    ['an unknown token', 'token_invalid', (token: string) => `unknown.${token.split('.')[1]}`],
  ])('refuses %s with 401 before it reads the body', async (_, reason, change) => {
    const site = await start()
    const token = await site.createToken()

    const answer = await site.register('not JSON', change?.(token))

    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="registration"/)
    const correlationId = answer.headers.get('x-correlation-id')
    expect(site.events).toMatchObject([{ type: 'registration.refused', reason, correlationId }])
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
    ['only scope values that are not allowed', { scope: 'admin:write' }, 'invalid_client_metadata'],
    ['a logout URI on another host', { backchannel_logout_uri: 'https://evil.example/out' }, 'invalid_client_metadata'],
    ['redirect URIs of the wrong type', { redirect_uris: 'https://partner.example/cb' }, 'invalid_redirect_uri'],
    ['a request without redirect URIs', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['a plain http redirect URI', { redirect_uris: ['http://partner.example/cb'] }, 'invalid_redirect_uri'],
    [
      'an authentication method that no standard defines',
      { token_endpoint_auth_method: 'client_secret' },
      'invalid_client_metadata',
    ],
    [
      'jwks together with jwks_uri',
      { jwks: { keys: [] }, jwks_uri: 'https://partner.example/k' },
      'invalid_client_metadata',
    ],
    [
      'a private key',
      { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{ kty: 'oct', k: 'AA' }] } },
      'invalid_client_metadata',
    ],
    ['a name with U+0000', { client_name: 'a\u0000b' }, 'invalid_client_metadata'],
    ['a name that is not a string', { client_name: { en: 'x' } }, 'invalid_client_metadata'],
    ['a name of 60,000 characters', { client_name: 'a'.repeat(60_000) }, 'invalid_client_metadata'],
    ['an unknown algorithm', { id_token_signed_response_alg: 'none' }, 'invalid_client_metadata'],
    ['nested arrays', { x: JSON.parse('['.repeat(2000) + ']'.repeat(2000)) as unknown }, 'invalid_client_metadata'],
  ])('refuses %s', async (_, change, error) => {
    const site = await start()
    const token = await site.createToken()

    expect(await site.register({ ...metadata, ...change }, token)).toMatchObject({ status: 400, body: { error } })
    expect(await site.storage.clients.list({ after: undefined, limit: 10 })).toEqual([])
  })

  test('ignores unknown members, and members that only administrators may set', async () => {
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

  test('answers wrong requests to its path with 405, 413 or 415, and other paths with 404', async () => {
    const site = await start()
    const headers = { authorization: `Bearer ${await site.createToken()}` }
    const url = `${site.issuer}/register`

    expect((await fetch(url, { headers })).status).toBe(405)
    expect((await fetch(url, { method: 'POST', headers, body: 'a=b' })).status).toBe(415)
    const json = { ...headers, 'content-type': 'application/json' }
    expect((await fetch(url, { method: 'POST', headers: json, body: 'x'.repeat(70_000) })).status).toBe(413)
    expect((await fetch(`${url}/x/y`, { method: 'POST', headers: json, body: '{}' })).status).toBe(404)
  })

  test.each(['/registers', '/register/', '/register/x/y', '/other'])(
    'answers %s with 404 in a host that passes every request on (RFC 9110 §15.5.5)',
    async (path) => {
      const events: RegistrationEvent[] = []
      const server = createRegistrationServer({
        issuer: 'https://as.test',
        storage: createMemoryStorage({ issuer: 'https://as.test' }),
        onEvent: (event) => void events.push(event),
      })

      const response = await server.handle(plainRequest('https://as.test', { method: 'PUT', path }))

      expect(response).toMatchObject({ status: 404, body: expect.stringContaining('"not_found"') as unknown })
      expect(events).toMatchObject([{ type: 'registration.refused', reason: 'path_not_found' }])
    },
  )
})

describe('with a software statement (RFC 7591 §2.3)', () => {
  test('registers a client with a statement of a trusted issuer, whose claims override the request', async () => {
    const { trusted, sign } = await anIssuer()
    const site = await start({ softwareStatements: [trusted] })

    const statement = await sign({ client_name: 'Signed', software_id: 's1' })
    const answer = await site.register({ ...metadata, client_name: 'Other', software_statement: statement })

    expect(answer).toMatchObject({ status: 201, body: { client_name: 'Signed', software_statement: statement } })
    expect(site.events).toMatchObject([{ type: 'client.registered', statementIssuer: trusted.issuer }])
  })

  test('refuses a statement of another issuer, a forged one, an expired one, and a request without a statement', async () => {
    const { trusted, sign } = await anIssuer()
    const forger = await anIssuer()
    const stranger = await anIssuer('https://stranger.example')
    const site = await start({ softwareStatements: [trusted] })
    const errorOf = async (statement: unknown) =>
      (await site.register({ ...metadata, software_statement: statement })).body['error']

    expect(await errorOf(await stranger.sign({}))).toBe('unapproved_software_statement')
    expect(await errorOf(await forger.sign({}))).toBe('invalid_software_statement')
    expect(await errorOf(await sign({ exp: 1 }))).toBe('invalid_software_statement')
    expect(await errorOf(`${await sign({})}=`)).toBe('invalid_software_statement')
    expect(await errorOf('x.y.z')).toBe('invalid_software_statement')
    expect(await errorOf({})).toBe('invalid_software_statement')
    expect((await site.register(metadata)).status).toBe(401)
    expect(await site.storage.clients.list({ after: undefined, limit: 10 })).toEqual([])
  })

  test('records which members stand in the statement, because its issuer vouches only for those (RFC 7591 §2.3)', async () => {
    const { trusted, sign } = await anIssuer()
    const site = await start({ softwareStatements: [trusted] })
    const { body } = await site.register({ ...metadata, software_statement: await sign({ client_name: 'Signed' }) })
    const id = String(body['client_id'])
    expect((await site.stored(id))?.selfManagement).toMatchObject({
      statementMembers: ['iss', 'software_id', 'client_name'],
    })

    const change = { ...metadata, client_id: id, client_name: 'Your Bank', software_statement: await sign({}) }
    expect(await site.ownRegistration(body)('PUT', change)).toMatchObject({ status: 200 })

    expect((await site.stored(id))?.selfManagement).toMatchObject({ statementMembers: ['iss', 'software_id'] })
  })

  test.each([
    ['the typ of an access token', {}, 'at+jwt'],
    ['the typ of a logout token', {}, 'logout+jwt'],
    ['no software_id', { software_id: undefined }, undefined],
    ['a nonce', { nonce: 'n' }, 'JWT'],
    ['a subject and an audience', { sub: 'u', aud: 'client' }, 'JWT'],
    ['another audience', { aud: 'https://other.example' }, 'JWT'],
    ['a start in the future', { nbf: 4_102_444_800 }, undefined],
    ['an end that is no number', { exp: '4102444800' }, undefined],
    ['a lone surrogate', { client_name: '\uD800' }, undefined],
  ])('refuses a JWT of a trusted issuer with %s (RFC 8725 §3.11)', async (_case, claims, typ) => {
    const { trusted, sign } = await anIssuer()
    const site = await start({ softwareStatements: [trusted] })

    expect(await site.register({ ...metadata, software_statement: await sign(claims, typ) })).toMatchObject({
      status: 400,
      body: { error: 'invalid_software_statement' },
    })
  })

  test('refuses a statement with a repeated member (RFC 8259 §4), and accepts one that is addressed to this server', async () => {
    const { trusted, sign, signText } = await anIssuer()
    const site = await start({ softwareStatements: [trusted] })
    const repeated = await signText(`{"iss":"${trusted.issuer}","software_id":"s1","software_id":"s2"}`)

    expect((await site.register({ ...metadata, software_statement: repeated })).status).toBe(400)
    const addressed = await sign({ aud: site.issuer }, 'JWT')
    expect((await site.register({ ...metadata, software_statement: addressed })).status).toBe(201)
  })

  test('limits how many clients an issuer registers', async () => {
    const { trusted, sign } = await anIssuer()
    const limit = createMemoryRateLimiter({ points: 1, window: 60 })
    const site = await start({ softwareStatements: [trusted], limit })
    const register = async () => site.register({ ...metadata, software_statement: await sign({}) })

    expect((await register()).status).toBe(201)
    const refused = await register()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    expect(await site.storage.clients.list({ after: undefined, limit: 10 })).toHaveLength(1)
  })
})

describe('a client with its registration access token (RFC 7592)', () => {
  test('reads its registration without its secret (RFC 7592 §2.1)', async () => {
    const { own, registered } = await startRegistered()

    const read = await own('GET')

    expect(read.status).toBe(200)
    const { client_secret: _, client_secret_expires_at: _never, ...shown } = registered
    expect(read.body).toEqual(shown)
  })

  test('replaces its metadata: omitted members get their defaults (RFC 7592 §2.2)', async () => {
    const { own, site, id } = await startRegistered({
      ...metadata,
      post_logout_redirect_uris: ['https://partner.example/'],
    })
    await site.enrich(id, { resources: ['https://api.example'] })
    const change = { client_id: id, client_name: 'Renamed', redirect_uris: ['https://partner.example/new'] }

    const { status, body } = await own('PUT', change)

    expect(status).toBe(200)
    expect(body).toMatchObject({ ...change, scope: 'openid profile', post_logout_redirect_uris: [] })
    // Members that only administrators set keep their values.
    expect(await site.stored(id)).toMatchObject({
      clientName: 'Renamed',
      origin: 'registration',
      resources: ['https://api.example'],
    })
    expect((await own('PUT', { ...change, client_name: 'Again' })).status).toBe(200)
  })

  test('gets a secret when it changes to a method that needs one', async () => {
    const { own, id } = await startRegistered({ ...metadata, token_endpoint_auth_method: 'none' })

    const { body } = await own('PUT', { ...metadata, client_id: id })

    expect(body).toMatchObject({ token_endpoint_auth_method: 'client_secret_basic', client_secret_expires_at: 0 })
    expect((await own('PUT', { ...metadata, client_id: id, client_secret: body['client_secret'] })).status).toBe(200)
  })

  test.each([
    ['a redirect URI of another host', { redirect_uris: ['https://evil.example/cb'] }, 'invalid_redirect_uri'],
    ['another grant', { grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    ['only scope values that are not allowed', { scope: 'admin:write' }, 'invalid_client_metadata'],
    ['another client_id', { client_id: 'other' }, 'invalid_client_metadata'],
    ['a request without client_id', { client_id: undefined }, 'invalid_client_metadata'],
    ['a wrong client_secret', { client_secret: 'guessed' }, 'invalid_client_metadata'],
    ['a client_secret that is not a string', { client_secret: 1 }, 'invalid_client_metadata'],
    ['a token of its choice', { registration_access_token: 'x' }, 'invalid_client_metadata'],
    ['a client URI of its choice', { registration_client_uri: 'https://evil.example' }, 'invalid_client_metadata'],
    ['a time of its choice', { client_id_issued_at: 1 }, 'invalid_client_metadata'],
    ['an expiry of its choice', { client_secret_expires_at: 1 }, 'invalid_client_metadata'],
  ])('gets an error for %s, and nothing changes (RFC 7592 §2.2)', async (_, change, error) => {
    const { own, site, id } = await startRegistered()
    const before = await site.stored(id)

    expect(await own('PUT', { ...metadata, client_id: id, ...change })).toMatchObject({ status: 400, body: { error } })
    expect(await site.stored(id)).toEqual(before)
  })

  test('keeps its signed metadata signed (RFC 7591 §2.3)', async () => {
    const { trusted, sign } = await anIssuer()
    const other = await anIssuer('https://other.example')
    const site = await start({ softwareStatements: [trusted, other.trusted] })
    const { body: registered } = await site.register({
      ...metadata,
      software_statement: await sign({ client_name: 'S' }),
    })
    const own = site.ownRegistration(registered)
    const change = { ...metadata, client_id: registered['client_id'], client_name: 'Unsigned' }

    expect(await own('PUT', change)).toMatchObject({ status: 400, body: { error: 'invalid_software_statement' } })
    const wrong = await other.sign({})
    expect((await own('PUT', { ...change, software_statement: wrong })).body['error']).toBe(
      'invalid_software_statement',
    )
    const renewed = await own('PUT', { ...change, software_statement: await sign({ client_name: 'Signed' }) })
    expect(renewed).toMatchObject({ status: 200, body: { client_name: 'Signed' } })
  })

  test('deletes itself, and its token and secret stop working (RFC 7592 §2.3)', async () => {
    const { own, site, id } = await startRegistered()

    expect((await own('DELETE')).status).toBe(204)

    expect(await site.stored(id)).toBeUndefined()
    expect((await own('GET')).status).toBe(401)
    expect((await own('DELETE')).status).toBe(401)
    expect(site.events.map(({ type }) => type)).toEqual([
      'client.registered',
      'client.removed',
      'registration.refused',
      'registration.refused',
    ])
  })

  test.each([
    ['a missing token', undefined, 'registration_token_missing'],
    ['a wrong token', 'A'.repeat(43), 'registration_token_invalid'],
    ['a token with a space', 'A B', 'registration_token_invalid'],
  ])('is refused with 401 before its body is read: %s', async (_, token, reason) => {
    const { site, registered } = await startRegistered()

    const answer = await site.ownRegistration({ ...registered, registration_access_token: token })('PUT', 'not JSON')

    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="registration"/)
    expect(site.events.at(-1)).toMatchObject({ type: 'registration.refused', reason })
  })

  test('cannot use its token for another client, nor the initial access token for itself', async () => {
    const { site, registered } = await startRegistered()
    const token = await site.createToken()
    const { body: other } = await site.register(metadata, token)

    const crossed = { ...registered, registration_client_uri: other['registration_client_uri'] }
    expect((await site.ownRegistration(crossed)('DELETE')).status).toBe(401)
    const initial = { ...other, registration_access_token: token }
    expect((await site.ownRegistration(initial)('GET')).status).toBe(401)
    const unknown = { ...registered, registration_client_uri: `${site.issuer}/register/unknown` }
    expect((await site.ownRegistration(unknown)('GET')).status).toBe(401)
    expect(await site.stored(String(other['client_id']))).toBeDefined()
  })

  test('gets 403 while an administrator has disabled it', async () => {
    const { own, site, id } = await startRegistered()
    await site.admin.clients.disable({ clientId: id })

    expect(await own('GET')).toMatchObject({ status: 403, body: { error: 'access_denied' } })
    await site.admin.clients.enable({ clientId: id })
    expect((await own('GET')).status).toBe(200)
  })

  test('cannot undo what an administrator has changed', async () => {
    const { own, site, id } = await startRegistered()
    await site.admin.clients.update({ clientId: id }, { scopes: ['openid'] })

    expect((await own('PUT', { ...metadata, client_id: id })).status).toBe(401)
    expect(await site.stored(id)).toMatchObject({ scopes: ['openid'] })
  })

  test('of concurrent changes, each is applied to the result of another one or refused with 409', async () => {
    const { own, site, id } = await startRegistered()

    const names = ['A', 'B', 'C', 'D']
    const answers = await Promise.all(
      names.map(async (name) => own('PUT', { ...metadata, client_id: id, client_name: name })),
    )

    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
    const done = answers.filter(({ status }) => status === 200)
    expect(done.map(({ body }) => body['client_name'])).toContain((await site.stored(id))?.clientName)
    expect((await site.stored(id))?.version).toBe(1 + done.length)
  })

  test('cannot change more often than the limit allows', async () => {
    const { own, id } = await startRegistered(metadata, { limit: createMemoryRateLimiter({ points: 1, window: 60 }) })

    expect((await own('PUT', { ...metadata, client_id: id })).status).toBe(200)
    expect((await own('PUT', { ...metadata, client_id: id })).status).toBe(429)
  })

  test('has a token that neither administrators nor events can see, and a digest hidden from administrators', async () => {
    const { site, id, registered } = await startRegistered()
    const client = await site.stored(id)

    expect(JSON.stringify(client)).not.toContain(registered['registration_access_token'])
    expect(await site.admin.clients.read(id)).not.toHaveProperty('selfManagement')
    expect(JSON.stringify(site.events)).not.toContain(registered['registration_access_token'])
  })
})

test('a client that the server would refuse is not registered (RFC 7591 §3.2.2)', async () => {
  const { server, storage, issuer } = await start()
  const administration = createAdministration({ storage, clientRules: server.clientRules })
  const admin = administration.as({ kind: 'host', id: 'test' })
  const app = { clientName: 'App', redirectUris: ['https://app.test/cb'] }

  const refused = admin.clients.create({ ...app, scopes: ['openid', 'unheard.of'], resources: [`${issuer}/other`] })

  await expect(refused).rejects.toMatchObject({ reason: 'invalid_client_metadata' })
  await expect(refused).rejects.toThrow('unheard.of')
  expect((await admin.clients.create({ ...app, scopes: ['openid', 'email'] })).client.scopes).toEqual([
    'openid',
    'email',
  ])
})

test('an option that does not exist is refused at start-up', async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const options = { issuer: 'https://as.test', storage, softwareStatement: [] }

  expect(() => createRegistrationServer(options)).toThrow('softwareStatement')
})

test.each([
  ['no scope value', { scopes: [] }],
  ['a scope value with a space', { scopes: ['openid profile'] }],
  ['no grant type', { grantTypes: [] }],
  ['no client', { clients: 0 }],
  ['a fraction of a client', { clients: 1.5 }],
  ['more than 1000 clients', { clients: 1001 }],
  ['no lifetime', { lifetime: 0 }],
  ['a lifetime of more than a year', { lifetime: 366 * 86_400 }],
])('an initial access token with %s is refused', async (_, change) => {
  const site = await start()

  await expect(site.createToken(change)).rejects.toMatchObject({ reason: 'initial_access_token_invalid' })
  expect((await site.admin.initialAccessTokens.list()).items).toEqual([])
})

test('an initial access token without a name is refused', async () => {
  const site = await start()

  await expect(site.createToken({ displayName: ' ' })).rejects.toMatchObject({ reason: 'display_name_invalid' })
  expect((await site.admin.initialAccessTokens.list()).items).toEqual([])
})

async function startRegistered(body: object = metadata, options: Partial<RegistrationServerOptions> = {}) {
  const site = await start(options)
  const { body: registered } = await site.register(body, await site.createToken())
  return { site, registered, id: String(registered['client_id']), own: site.ownRegistration(registered) }
}

/** Creates a `fetch` that answers each request with 404 once `released` is settled. */
function answeringNothing(released: Promise<void> = Promise.resolve()) {
  let requests = 0
  const fetch = (async () => {
    requests += 1
    await released
    return new Response(null, { status: 404 })
  }) satisfies typeof globalThis.fetch
  return { fetch, requests: () => requests }
}

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
    server,
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
    stored: async (id: string) => storage.clients.find(clientId(id)),
    /** Sets members that only administrators set, without the administration API. */
    enrich: async (id: string, change: Partial<ClientRecord>) => {
      const client = await storage.clients.find(clientId(id))
      if (client !== undefined) await storage.clients.compareAndSwap({ ...client, ...change }, client.version)
    },
    ownRegistration: (registered: Readonly<Record<string, unknown>>) => async (method: string, body?: unknown) => {
      const token = registered['registration_access_token']
      const response = await fetch(String(registered['registration_client_uri']), {
        method,
        headers: {
          'content-type': 'application/json',
          ...(typeof token === 'string' && { authorization: `Bearer ${token}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      const answer = (text === '' ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>
      return { status: response.status, headers: response.headers, body: answer }
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
    sign: async (claims: Readonly<Record<string, unknown>>, typ?: string) =>
      new SignJWT({ iss: issuer, software_id: 's1', ...claims })
        .setProtectedHeader({ alg: 'ES256', ...(typ !== undefined && { typ }) })
        .sign(privateKey),
    signText: async (claims: string) =>
      new CompactSign(new TextEncoder().encode(claims)).setProtectedHeader({ alg: 'ES256' }).sign(privateKey),
  }
}
