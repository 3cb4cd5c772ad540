import { toFetch } from '@mintmark/adapter-fetch'
import type { AuthorizationServerOptions } from '@mintmark/core'
import { createRegistrationServer, type RegistrationEvent } from '@mintmark/registration'
import { clientId } from '@mintmark/storage-interface'
import { describe, expect, it, onTestFinished } from 'vitest'

import { disableClient } from '../../packages/core/src/clients/update.ts'
import { expectErrorPage, expectJsonRefusal } from '../support/expect-refusal.ts'
import { answerInteraction, authorize, baseRequest, encode, postForm, redeem, token } from '../support/flow.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

const redirect = 'http://localhost:3118/callback'
const tool = {
  client_name: 'Tool',
  redirect_uris: [redirect],
  grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
  token_endpoint_auth_method: 'none',
}

const scopes = ['openid', 'profile', 'offline_access']

async function start(options: AuthorizationServerOptions['openRegistration'] | 'off' = {}) {
  const server = await startServer(options === 'off' ? {} : { openRegistration: { scopes, ...options } })
  onTestFinished(() => server.close())
  const events: RegistrationEvent[] = []
  const { issuer, storage, clock } = server
  const { openRegistration } = server.server
  const registration = createRegistrationServer({
    issuer,
    storage,
    openRegistration,
    clock: clock.now,
    onEvent: (event) => void events.push(event),
  })
  const endpoint = toFetch(registration)
  const register = async (metadata: object, headers: Record<string, string> = {}) => {
    const response = await endpoint(
      new Request(`${issuer}/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(metadata),
      }),
    )
    const body = (await response.json()) as Record<string, unknown>
    return { status: response.status, headers: response.headers, body, id: String(body['client_id']) }
  }
  return { server, register, endpoint, events }
}

const visit = (server: ServerUnderTest, id: string, redirectUri = redirect) =>
  authorize(server, { client_id: id, redirect_uri: redirectUri, scope: scopes.join(' ') })

const consent = (server: ServerUnderTest, started: Awaited<ReturnType<typeof visit>>) =>
  answerInteraction(server, started, scopes.map((scope) => `scope=${scope}`).join('&'))

async function tokensOf(server: ServerUnderTest, id: string) {
  const code = (await consent(server, await visit(server, id))).location.searchParams.get('code') ?? ''
  return redeem(server, code, { client_id: id, redirect_uri: redirect }, { authorization: '' })
}

const refresh = (server: ServerUnderTest, id: string, refreshToken: unknown) =>
  token(
    server,
    { grant_type: 'refresh_token', refresh_token: String(refreshToken), client_id: id },
    { authorization: '' },
  )

const openClients = async ({ storage }: ServerUnderTest) =>
  (await storage.clients.list({ after: undefined, limit: 100 })).filter(({ origin }) => origin === 'open_registration')

describe('a client that registers itself without a permission (RFC 7591 Appendix A.1.1)', () => {
  it('gets tokens after the user consents, and is stored only then', async () => {
    const { server, register } = await start()
    const before = server.dump()

    const registered = await register(tool)
    const started = await visit(server, registered.id)

    expect(registered.status).toBe(201)
    expect(started.location.pathname).toBe('/consent')
    expect(server.dump()).toBe(before)
    const answer = await tokensOf(server, registered.id)
    expect(answer.status).toBe(200)
    expect((await refresh(server, registered.id, answer.json['refresh_token'])).status).toBe(200)
    expect(await openClients(server)).toMatchObject([
      { clientId: registered.id, clientName: 'Tool', tokenEndpointAuthMethod: 'none', requirePkce: true },
    ])
  })

  it('learns what was registered: no secret, no other grants, all scope values (RFC 7591 §3.2.1)', async () => {
    const { register, events } = await start()

    const { body, id } = await register({ ...tool, token_endpoint_auth_method: 'client_secret_post', scope: 'openid' })

    expect(body).toMatchObject({
      client_name: 'Tool',
      redirect_uris: [redirect],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: scopes.join(' '),
    })
    expect(Object.keys(body)).not.toContain('client_secret')
    expect(Object.keys(body)).not.toContain('registration_access_token')
    expect(events).toMatchObject([{ type: 'client.registered', clientId: id, tokenId: undefined }])
  })

  it('is the same client when it registers again, and a thousand registrations take no space', async () => {
    const { server, register } = await start()
    const before = server.dump()

    const answers = await Promise.all(
      Array.from({ length: 1000 }, (_, n) =>
        register({ ...tool, redirect_uris: [`http://localhost:${2000 + n}/callback`] }),
      ),
    )

    expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
    expect(server.dump()).toBe(before)
  })

  it('is asked for at each sign-in, because any program on the device could use its client_id (RFC 8252 §8.6)', async () => {
    const { server, register } = await start()
    const { id } = await register(tool)
    await tokensOf(server, id)

    expect((await visit(server, id)).location.pathname).toBe('/consent')
  })

  it.each([
    ['its first character', (id: string) => id.replace('open.', 'open.A')],
    ['its last character', (id: string) => id.slice(0, -1) + (id.endsWith('A') ? 'B' : 'A')],
    ['its MAC, left out', (id: string) => id.slice(0, id.lastIndexOf('.'))],
    ['a part that is added', (id: string) => `${id}.A`],
    [
      'its redirect URI',
      (id: string) => {
        const [, payload = '', mac = ''] = id.split('.')
        const text = Buffer.from(payload, 'base64url').toString().replace('localhost', '127.0.0.1')
        return `open.${Buffer.from(text).toString('base64url')}.${mac}`
      },
    ],
  ])('is refused when %s is changed', async (_, change) => {
    const { server, register } = await start()
    const { id } = await register(tool)

    await expectErrorPage(server, { send: () => visit(server, change(id)), reason: 'client_id_forged' })
    await expectJsonRefusal(
      server,
      { status: 401, error: 'invalid_client' },
      {
        send: () => refresh(server, change(id), 'unknown'),
        reason: 'client_unknown',
      },
    )
  })

  it('is refused when the redirect URI is not the registered one', async () => {
    const { server, register } = await start()
    const { id } = await register(tool)

    await expectErrorPage(server, {
      send: () => visit(server, id, 'http://localhost:3118/other'),
      reason: 'redirect_uri_mismatch',
    })
  })

  it('is refused everywhere once it is disabled, although it registers again', async () => {
    const { server, register } = await start()
    const { id } = await register(tool)
    const tokens = await tokensOf(server, id)
    await disableClient({ clientId: id }, { storage: server.storage })

    expect((await register(tool)).id).toBe(id)
    await expectErrorPage(server, { send: () => visit(server, id), reason: 'client_disabled' })
    await expectJsonRefusal(
      server,
      { status: 401, error: 'invalid_client' },
      {
        send: () => refresh(server, id, tokens.json['refresh_token']),
        reason: 'client_disabled',
      },
    )
  })

  it.each([
    [{ redirect_uris: ['https://evil.test/cb'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: [] }, 'invalid_redirect_uri'],
    [{ redirect_uris: undefined }, 'invalid_redirect_uri'],
    [{ grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    [{ grant_types: ['refresh_token'] }, 'invalid_client_metadata'],
    [{ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } }, 'invalid_client_metadata'],
    [{ client_name: 'x'.repeat(201) }, 'invalid_client_metadata'],
    [{ client_name: ' ' }, 'invalid_client_metadata'],
  ])('is not registered with %j (RFC 7591 §3.2.2)', async (change, error) => {
    const { server, register } = await start()
    const before = server.dump()

    const { status, body } = await register({ ...tool, ...change })

    expect([status, body['error']]).toEqual([400, error])
    expect(server.dump()).toBe(before)
  })

  it('may push its request before any user has consented to it, and nothing is stored (RFC 9126 §2)', async () => {
    const { server, register } = await start()
    const { id } = await register(tool)
    const before = server.dump()

    const pushed = await postForm(
      server,
      '/auth/push',
      encode({ ...baseRequest, client_id: id, redirect_uri: redirect }),
      {},
    )

    expect(pushed.status).toBe(201)
    expect(server.dump()).toBe(before)
  })

  it('may run in a page of any origin: the page can read the answer of the endpoint', async () => {
    const { register, endpoint } = await start()

    const answer = await register(tool, { origin: 'http://localhost:6274' })
    const preflight = await endpoint(
      new Request('https://as.test/register', {
        method: 'OPTIONS',
        headers: { origin: 'http://localhost:6274', 'access-control-request-method': 'POST' },
      }),
    )

    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
  })

  it('does not get around a wrong initial access token (RFC 6750 §3.1)', async () => {
    const { register } = await start()

    const { status, body } = await register(tool, { authorization: 'Bearer unknown.secret' })

    expect([status, body['error']]).toEqual([401, 'invalid_token'])
  })
})

describe('a server without open registration', () => {
  it('registers nobody without a permission, and does not accept a client_id of a server that does', async () => {
    const { register: registerElsewhere } = await start()
    const { server, register } = await start('off')
    const { id } = await registerElsewhere(tool)

    expect((await register(tool)).status).toBe(401)
    await expectErrorPage(server, { send: () => visit(server, id), reason: 'client_unknown' })
    expect(await server.storage.clients.find(clientId(id))).toBeUndefined()
  })
})

it.each([['javascript'], ['https'], ['Tool.test'], ['https://tool.test'], ['cursor:'], ['']])(
  'a server does not start with %j among openRegistration.redirectHosts',
  async (entry) => {
    await expect(start({ redirectHosts: [entry] })).rejects.toThrow(/openRegistration/)
  },
)

it('a server with open registration publishes the endpoint (RFC 8414 §2)', async () => {
  const { server } = await start()

  const { json } = await server.send({ path: '/.well-known/oauth-authorization-server' })

  expect(json['registration_endpoint']).toBe('https://as.test/register')
})
