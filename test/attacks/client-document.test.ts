import { createMemoryRateLimiter, type AuthorizationServerOptions } from '@mintmark/core'
import { clientId, userId } from '@mintmark/storage-interface'
import { aClientRecord } from '@mintmark/storage-interface/fixtures'
import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'

import { registerClient } from '../../packages/core/src/clients/registration.ts'
import { assertionOf } from '../support/client-assertion.ts'
import {
  answerInteraction,
  authorize,
  baseRequest,
  browserCookies,
  encode,
  postForm,
  redeem,
  token,
  type Change,
} from '../support/flow.ts'
import { createProofKey, type ProofKey, writeProof } from '../support/dpop.ts'
import { signEs256 } from '../support/forge-jwt.ts'
import { expectJsonRefusal, expectErrorPage } from '../support/expect-refusal.ts'
import { writeRequestObject } from '../support/request-object.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

const id = 'https://cli.test/oauth.json'
const redirect = 'https://cli.test/cb'
const tool = { client_id: id, client_name: 'Tool', redirect_uris: [redirect, 'http://127.0.0.1/cb'] }
const scopes = ['openid', 'profile', 'offline_access']
/** The key of RFC 7515 Appendix A.3. */
const privateKey = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  d: 'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI',
}

type Documents = NonNullable<AuthorizationServerOptions['clientDocuments']>
type Serve = (url: string) => Response | Promise<Response>

const answer = (document: unknown, init: ResponseInit = {}) =>
  new Response(JSON.stringify(document), {
    ...init,
    headers: { 'content-type': 'application/json', ...Object.fromEntries(new Headers(init.headers)) },
  })

async function start(
  serve: Serve = () => answer(tool),
  options: Partial<Documents> | 'off' = {},
  more: Pick<AuthorizationServerOptions, 'rateLimits' | 'dangerouslyAllowOutbound'> = {},
) {
  const site = { serve, fetched: [] as string[] }
  const server = await startServer({
    fetch: async (input) => {
      const url = input instanceof Request ? input.url : String(input)
      site.fetched.push(url)
      return site.serve(url)
    },
    ...(options !== 'off' && { clientDocuments: { allow: '*', scopes, ...options } }),
    ...more,
  })
  onTestFinished(() => server.close())
  return { server, site }
}

const visit = (server: ServerUnderTest, change: Change = {}) =>
  authorize(server, { client_id: id, redirect_uri: redirect, ...change })

const consent = (server: ServerUnderTest, started: Awaited<ReturnType<typeof visit>>) =>
  answerInteraction(server, started, 'scope=openid&scope=profile&scope=offline_access')

async function codeOf(server: ServerUnderTest, change: Change = {}): Promise<string> {
  const started = await visit(server, { scope: scopes.join(' '), ...change })
  const done = started.location.searchParams.has('code') ? started : await consent(server, started)
  return done.location.searchParams.get('code') ?? `none: ${done.text}`
}

const publicRedeem = (server: ServerUnderTest, code: string, change: Change = {}) =>
  redeem(server, code, { client_id: id, redirect_uri: redirect, ...change }, { authorization: '' })

const refresh = (server: ServerUnderTest, refreshToken: unknown) =>
  token(
    server,
    { grant_type: 'refresh_token', refresh_token: String(refreshToken), client_id: id },
    { authorization: '' },
  )

const findStored = (server: ServerUnderTest) => server.storage.clients.find(clientId(id))

describe('a client with a metadata document', () => {
  it('gets tokens after the user consents, and is stored only then (Client ID Metadata Document §5)', async () => {
    const { server, site } = await start()
    const before = server.dump()

    const started = await visit(server, { scope: scopes.join(' ') })
    expect(started.location.pathname).toBe('/consent')
    expect(server.dump()).toBe(before)
    const code = (await consent(server, started)).location.searchParams.get('code') ?? ''
    const tokens = await publicRedeem(server, code)

    expect(tokens.status).toBe(200)
    expect(await findStored(server)).toMatchObject({
      clientName: 'Tool',
      tokenEndpointAuthMethod: 'none',
      requirePkce: true,
    })
    expect(site.fetched).toEqual([id])
  })

  it.each(['http://localhost:25034/client.json', 'https://127.0.0.1:25037/client.json'])(
    'may have its document at %s only if dangerouslyAllowOutbound has the origin',
    async (address) => {
      const local = { ...tool, client_id: address, redirect_uris: ['http://127.0.0.1/cb'] }
      const change = { client_id: address, redirect_uri: 'http://127.0.0.1:5000/cb' }
      const open = await start(() => answer(local), {}, { dangerouslyAllowOutbound: [new URL(address).origin] })
      const closed = await start(() => answer(local))

      const started = await visit(open.server, change)

      expect(started.location.pathname).toBe('/consent')
      expect((await consent(open.server, started)).location.searchParams.has('code')).toBe(true)
      expect((await visit(closed.server, change)).status).toBe(400)
      expect(closed.site.fetched).toEqual([])
    },
  )

  it('is refused without a request for its document when the feature is off', async () => {
    const { server, site } = await start(undefined, 'off')

    await expectErrorPage(server, { send: () => visit(server), reason: 'client_unknown' })
    expect(site.fetched).toEqual([])
  })

  it.each([
    'https://cli.test',
    'https://cli.test/',
    'https://cli.test/a#',
    'https://cli.test/a#b',
    'https://user@cli.test/a',
    'https://@cli.test/a',
    'https://cli.test/a/../b',
    'https://cli.test/a/%2e%2e/b',
    'https://cli.test/a\\b',
    'https://CLI.test/a',
    'https://cli.test:22/a',
    'https://cli.test:443/a',
    'https://cli.test./a',
    'https://192.0.2.1/a',
    'https://[2001:db8::1]/a',
    'https://m\u00fcnchen.test/a',
    'https://cli.test/\u00fc',
    'https://cli\u3002test/a',
    'https://2130706433/a',
    'https://localhost/a',
    `https://cli.test/${'a'.repeat(2048)}`,
  ])(
    'is refused without a request for its document when its client_id is %s (Client ID Metadata Document §3)',
    async (address) => {
      const { server, site } = await start()

      const reply = await visit(server, { client_id: address })

      expect(reply.status).toBe(400)
      expect(['client_document_not_allowed', 'client_unknown']).toContain(server.lastReason())
      expect(site.fetched).toEqual([])
    },
  )

  it.each(['http://cli.test/a', 'https://cli.test/a\tb'])(
    'is refused without a request for its document when its client_id is not a valid https URL: %s',
    async (address) => {
      const { server, site } = await start()

      expect((await visit(server, { client_id: address })).status).toBe(400)
      expect(site.fetched).toEqual([])
    },
  )

  it.each([
    ['lists only another host', ['other.test']],
    ['lists only the parent domain', ['test']],
    ['lists only another URL', [`${id}x`]],
    ['is a function that returns false', () => false],
  ] as const)('is refused without a request for its document when the option allow %s', async (_, allow) => {
    const { server, site } = await start(undefined, { allow })

    await expectErrorPage(server, { send: () => visit(server), reason: 'client_document_not_allowed' })
    expect(site.fetched).toEqual([])
  })

  it('is refused at the consent page when it was removed from the list in the meantime', async () => {
    let isListed = true
    const { server } = await start(undefined, { allow: () => isListed })
    const started = await visit(server)
    isListed = false

    await expectErrorPage(server, { send: () => consent(server, started), reason: 'client_unknown' })
    expect(await findStored(server)).toBeUndefined()
  })

  it('is refused at the token endpoint, without a request for its document, when its origin is no longer on the list', async () => {
    let isListed = true
    const { server, site } = await start(undefined, { allow: () => isListed })
    const tokens = await publicRedeem(server, await codeOf(server))
    server.clock.advance(30 * 86_400)
    isListed = false

    await expectJsonRefusal(
      server,
      { status: 401, error: 'invalid_client' },
      { send: () => refresh(server, tokens.json['refresh_token']), reason: 'client_unknown' },
    )

    expect(site.fetched).toEqual([id])
  })

  it.each([['cli.test'], [id]])('is accepted when %s is on the list', async (entry) => {
    const { server } = await start(undefined, { allow: [entry] })

    expect((await visit(server)).location.pathname).toBe('/consent')
  })

  it.each([
    ['a redirect', () => new Response(null, { status: 301, headers: { location: 'https://cli.test/b' } })],
    ['status 204', () => new Response(null, { status: 204 })],
    ['status 206', () => answer(tool, { status: 206 })],
    ['HTML', () => answer(tool, { headers: { 'content-type': 'text/html' } })],
    ['an array', () => answer([tool])],
    ['a document with another client_id', () => answer({ ...tool, client_id: `${id}?` })],
    [
      'a document with a repeated member',
      () => new Response(`{"client_id":"${id}",${JSON.stringify(tool).slice(1)}`, json),
    ],
    [
      'a document with a repeated member, once with an escape',
      () => new Response(`{"client\\u005fid":"${id}",${JSON.stringify(tool).slice(1)}`, json),
    ],
    ['a document of more than 5 KiB', () => answer({ ...tool, padding: 'x'.repeat(5120) })],
    ['a document with a secret', () => answer({ ...tool, client_secret: 'secret' })],
    [
      'a document whose authentication method needs a shared secret',
      () => answer({ ...tool, token_endpoint_auth_method: 'client_secret_basic' }),
    ],
    [
      'a document whose authentication method needs mutual TLS',
      () => answer({ ...tool, token_endpoint_auth_method: 'tls_client_auth' }),
    ],
    [
      'a document with private_key_jwt but no keys',
      () => answer({ ...tool, token_endpoint_auth_method: 'private_key_jwt' }),
    ],
    [
      'a document with a private key',
      () => answer({ ...tool, token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [privateKey] } }),
    ],
    ['a document with a private key that it does not need', () => answer({ ...tool, jwks: { keys: [privateKey] } })],
    ['a document with half of a surrogate pair', () => answer({ ...tool, client_name: '\ud800' })],
    ['a document without a name', () => answer({ ...tool, client_name: ' ' })],
    ['a document without redirect URIs', () => answer({ client_id: id, client_name: 'Tool' })],
    ['a document with an empty list of redirect URIs', () => answer({ ...tool, redirect_uris: [] })],
    [
      'a document with 200 redirect URIs',
      () => answer({ ...tool, redirect_uris: Array.from({ length: 200 }, (_, n) => `${redirect}${n}`) }),
    ],
    [
      'a document with redirect URIs of other hosts only',
      () => answer({ ...tool, redirect_uris: ['https://other.test/cb'] }),
    ],
    ['a document without the code grant', () => answer({ ...tool, grant_types: ['client_credentials'] })],
    ['a document without the response type code', () => answer({ ...tool, response_types: ['none'] })],
  ])('is refused when its URL returns %s, and its URL is read again after ten seconds', async (_, serve) => {
    const { server, site } = await start(serve)

    await expectErrorPage(server, { send: () => visit(server), reason: 'client_document_invalid' })
    site.serve = () => answer(tool)
    server.clock.advance(10)
    expect((await visit(server)).location.pathname).toBe('/consent')
  })

  it.each([404, 410])('is refused as withdrawn after status %i', async (status) => {
    const { server } = await start(() => new Response(null, { status }))

    await expectErrorPage(server, { send: () => visit(server), reason: 'client_document_withdrawn' })
  })

  it.each([
    ['status 500', () => new Response(null, { status: 500 })],
    ['status 429', () => new Response(null, { status: 429 })],
    ['a broken connection', () => Promise.reject(new TypeError('fetch failed'))],
  ])('is unavailable after %s', async (_, serve) => {
    const { server } = await start(serve)

    const reply = await visit(server)

    expect([reply.status, server.lastReason()]).toEqual([503, 'client_document_unavailable'])
  })

  it('is stored without grants and methods that this server does not offer, and without redirect URIs of other hosts (RFC 7591 §2)', async () => {
    const grants = ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code']
    const { server } = await start(() =>
      answer({
        ...tool,
        grant_types: grants,
        token_endpoint_auth_methods_supported: ['tls_client_auth', 'none'],
        redirect_uris: [
          redirect,
          'https://other.test/cb',
          'javascript:alert(1)',
          'https://*.cli.test/cb',
          'cursor://x/cb',
        ],
        logo_uri: 'https://other.test/x.png',
      }),
    )
    await codeOf(server)

    expect(await findStored(server)).toMatchObject({
      grantTypes: ['authorization_code', 'refresh_token'],
      tokenEndpointAuthMethod: 'none',
      redirectUris: [redirect],
    })
  })

  it('may use any port of loopback (RFC 8252 §7.3)', async () => {
    const { server } = await start()

    expect((await visit(server, { redirect_uri: 'http://127.0.0.1:49152/cb' })).location.pathname).toBe('/consent')
  })

  it.each([
    'http://localhost:49152/cb',
    'http://127.0.0.1.nip.test/cb',
    'http://127.0.0.1:80@other.test/cb',
    'http://127.0.0.1:49152/cb/',
    'https://127.0.0.1:49152/cb',
    'http://[::1]:49152/cb',
  ])('may not redirect to %s if its metadata contains http://127.0.0.1/cb (RFC 8252 §7.3)', async (uri) => {
    const { server } = await start()

    await expectErrorPage(server, { send: () => visit(server, { redirect_uri: uri }), reason: 'redirect_uri_mismatch' })
  })

  it('is shown to users with its host name in ASCII (RFC 5891 §4.4)', async () => {
    const address = 'https://xn--mnchen-3ya.test/a'
    const uri = 'https://xn--mnchen-3ya.test/cb'
    const { server } = await start(() => answer({ ...tool, client_id: address, redirect_uris: [uri] }))
    const started = await visit(server, { client_id: address, redirect_uri: uri })
    const { pathname, search } = started.location

    const page = await server.send({ path: pathname + search, headers: { cookie: browserCookies(started) } })

    expect(page.json['client']).toMatchObject({ unverifiedHost: 'xn--mnchen-3ya.test' })
  })

  it('keeps a name of 200 characters that ends with a surrogate pair', async () => {
    const { server } = await start(() => answer({ ...tool, client_name: `${'x'.repeat(199)}\u{1F600}` }))
    await codeOf(server)

    expect((await findStored(server))?.clientName).toBe(`${'x'.repeat(199)}\u{1F600}`)
  })

  it('may not redirect to loopback if only its own origin is allowed', async () => {
    const { server } = await start(undefined, { redirects: 'same_origin' })
    const send = () => visit(server, { redirect_uri: 'http://127.0.0.1:49152/cb' })

    await expectErrorPage(server, { send, reason: 'redirect_uri_mismatch' })
  })

  it('causes at most 60 requests a minute to one host, and nothing is stored', async () => {
    const { server, site } = await start((url) => answer({ ...tool, client_id: url }))
    const before = server.dump()

    for (let n = 0; n < 61; n += 1) await visit(server, { client_id: `https://cli.test/${n}` })

    expect(site.fetched).toHaveLength(60)
    expect(server.lastReason()).toBe('client_documents_throttled')
    expect(server.dump()).toBe(before)
  })

  it('causes at most 600 requests a minute in total, and nothing is stored', async () => {
    const { server, site } = await start((url) => answer({ ...tool, client_id: url, redirect_uris: [`${url}/cb`] }))
    const before = server.dump()

    for (let n = 0; n < 601; n += 1) {
      const url = `https://cli${n}.test/a`
      await visit(server, { client_id: url, redirect_uri: `${url}/cb` })
    }

    expect(site.fetched).toHaveLength(600)
    expect(server.lastReason()).toBe('client_documents_throttled')
    expect(server.dump()).toBe(before)
  })

  it.each([
    ['max-age=1', 60],
    ['max-age=1000000000000', 86_400],
    ['max-age=600', 600],
  ])('is cached with %s for %i seconds (Client ID Metadata Document §5.2)', async (control, lifetime) => {
    const { server, site } = await start(() => answer(tool, { headers: { 'cache-control': control } }))

    await visit(server)
    server.clock.advance(lifetime - 1)
    await visit(server)
    expect(site.fetched).toHaveLength(1)
    server.clock.advance(1)
    await visit(server)
    expect(site.fetched).toHaveLength(2)
  })

  it('is not cached with no-store (RFC 9111 §5.2.2.5)', async () => {
    const { server, site } = await start(() => answer(tool, { headers: { 'cache-control': 'no-store' } }))

    await visit(server)
    await visit(server)

    expect(site.fetched).toHaveLength(2)
  })
})

const json = { headers: { 'content-type': 'application/json' } }

describe('a document that changes', () => {
  const answerForOneMinute = (document: unknown) => answer(document, { headers: { 'cache-control': 'max-age=60' } })

  it('between the request and the consent does not change the client that the user consents to', async () => {
    const { server, site } = await start(() => answerForOneMinute(tool))
    const started = await visit(server)
    site.serve = () => answerForOneMinute({ ...tool, client_name: 'Bank' })
    server.clock.advance(61)

    await consent(server, started)

    expect(await findStored(server)).toMatchObject({ clientName: 'Tool' })
  })

  it.each([
    ['name', { client_name: 'Bank' }],
    ['redirect host', { redirect_uris: [redirect] }],
  ])('needs new consent when its %s changes (Client ID Metadata Document §8.3)', async (_, change) => {
    const { server, site } = await start(() => answerForOneMinute(tool))
    await codeOf(server)
    expect((await visit(server)).location.searchParams.has('code')).toBe(true)
    site.serve = () => answerForOneMinute({ ...tool, ...change })
    server.clock.advance(61)

    const started = await visit(server)
    expect(started.location.pathname).toBe('/consent')
    await consent(server, started)

    expect(server.events.filter(({ type }) => type === 'client.changed')).toHaveLength(1)
    expect((await visit(server)).location.searchParams.has('code')).toBe(true)
  })

  it('needs no new consent when a redirect path changes', async () => {
    const { server, site } = await start(() => answerForOneMinute(tool))
    await codeOf(server)
    site.serve = () => answerForOneMinute({ ...tool, redirect_uris: [...tool.redirect_uris, 'https://cli.test/cb2'] })
    server.clock.advance(61)

    const reply = await visit(server, { redirect_uri: 'https://cli.test/cb2' })

    expect(reply.location.searchParams.has('code')).toBe(true)
  })

  it('after the consent makes the code unusable (Client ID Metadata Document §8.3)', async () => {
    const { server } = await start()
    const code = await codeOf(server)
    const client = await findStored(server)
    if (client === undefined) throw new Error('The client was not stored.')
    await server.storage.clients.compareAndSwap({ ...client, documentDigest: 'other' }, client.version)

    await expectJsonRefusal(
      server,
      { status: 400, error: 'invalid_grant' },
      { send: () => publicRedeem(server, code), reason: 'client_document_changed', storage: 'codes may change' },
    )
  })

  it('is refused when the user consents to an older version than the stored one', async () => {
    const { server, site } = await start(() => answerForOneMinute(tool))
    const older = await visit(server)
    site.serve = () => answerForOneMinute({ ...tool, client_name: 'Bank' })
    server.clock.advance(61)
    await consent(server, await visit(server))

    const reply = await consent(server, older)

    expect([reply.status, server.lastReason()]).toEqual([400, 'client_document_changed'])
  })

  it('needs new consent when it replaces the keys, and the old keys are refused (Client ID Metadata Document §8.3.1)', async () => {
    const [first, second] = [await createKeyedTool(), await createKeyedTool()]
    const { server, site } = await start(() => answerForOneMinute(first.document))
    const redeemWith = async (key: KeyedTool, change: Change = {}) =>
      publicRedeem(server, await codeOf(server, change), await key.assertion(server))
    expect((await redeemWith(first)).status).toBe(200)
    site.serve = () => answerForOneMinute(second.document)
    server.clock.advance(61)

    const started = await visit(server)
    expect(started.location.pathname).toBe('/consent')
    await consent(server, started)

    expect(server.events.filter(({ type }) => type === 'client.changed')).toHaveLength(1)
    const code = await codeOf(server)
    const proof = await first.assertion(server)
    await expectJsonRefusal(
      server,
      { status: 401, error: 'invalid_client' },
      { send: () => publicRedeem(server, code, proof), reason: 'client_credentials_wrong' },
    )
    expect((await publicRedeem(server, code, await second.assertion(server))).status).toBe(200)
  })
})

type KeyedTool = Awaited<ReturnType<typeof createKeyedTool>>

/** Returns a document with a new key, and functions that sign assertions and request objects with that key. */
async function createKeyedTool() {
  const pair = await generateKeyPair('ES256')
  const jwk = await exportJWK(pair.publicKey)
  const kid = await calculateJwkThumbprint(jwk)
  return {
    document: {
      ...tool,
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [{ ...jwk, alg: 'ES256', kid }] },
    },
    requestObject: (server: ServerUnderTest, request: Change) =>
      writeRequestObject(server, {
        header: { kid },
        claims: { ...request, iss: id },
        sign: signEs256(pair.privateKey),
      }),
    assertion: (server: ServerUnderTest, client = id) =>
      assertionOf(server, {
        header: { kid },
        claims: { iss: client, sub: client },
        sign: signEs256(pair.privateKey),
      }),
  }
}

describe('a client that has a metadata document and pushes its request', () => {
  const request = { ...baseRequest, client_id: id, redirect_uri: redirect }
  const push = (server: ServerUnderTest, change: Change = {}, headers: Record<string, string> = {}) =>
    postForm(server, '/auth/push', encode({ ...request, ...change }), headers)
  const withReference = (server: ServerUnderTest, reply: Awaited<ReturnType<typeof push>>) =>
    server.send({
      path: `/auth?${encode({ client_id: id, request_uri: String(reply.json['request_uri']) })}`,
      headers: { cookie: `host=U1.${server.clock.now() - 5}` },
    })

  it('is stored only after consent, and then gets tokens (RFC 9126 §2, Client ID Metadata Document §5)', async () => {
    const { server, site } = await start()

    const pushed = await push(server)
    const started = await withReference(server, pushed)
    expect([pushed.status, started.location.pathname, await findStored(server)]).toEqual([201, '/consent', undefined])
    const code = (await consent(server, started)).location.searchParams.get('code') ?? ''

    expect((await publicRedeem(server, code)).status).toBe(200)
    expect(await findStored(server)).toMatchObject({ clientName: 'Tool' })
    expect(site.fetched).toEqual([id])
  })

  it('authenticates with a key of its document (RFC 7523 §3)', async () => {
    const [own, other] = [await createKeyedTool(), await createKeyedTool()]
    const { server } = await start(() => answer(own.document))
    const wrong = await other.assertion(server)

    await expectJsonRefusal(
      server,
      { status: 401, error: 'invalid_client' },
      { send: () => push(server, wrong), reason: 'client_credentials_wrong' },
    )
    await expectJsonRefusal(
      server,
      { status: 401, error: 'invalid_client' },
      { send: () => push(server), reason: 'client_authentication_method' },
    )
    expect((await push(server, await own.assertion(server))).status).toBe(201)
  })

  it('is not stored, nor is its request, even if it signs an assertion (RFC 6819 §4.4.1.11)', async () => {
    const keyed = await createKeyedTool()
    const { server } = await start(() => answer(keyed.document))

    const reply = await push(server, await keyed.assertion(server))

    const { pushedRequests } = JSON.parse(server.dump()) as { pushedRequests: unknown }
    expect([reply.status, pushedRequests, await findStored(server)]).toEqual([201, [], undefined])
  })

  it('binds its code to the key of a DPoP proof (RFC 9449 §10.1)', async () => {
    const { server } = await start()
    const [own, other] = [await createProofKey(), await createProofKey()]
    const dpop = await writeProof(server, own, { claims: { htu: `${server.issuer}/auth/push` } })
    const started = await withReference(server, await push(server, {}, { dpop }))
    const code = (await consent(server, started)).location.searchParams.get('code') ?? ''
    const redeemBy = async (key: ProofKey) => {
      const form = { client_id: id, redirect_uri: redirect }
      return redeem(server, code, form, { authorization: '', dpop: await writeProof(server, key) })
    }

    const stolen = await redeemBy(other)
    expect([stolen.status, stolen.json['error']]).toEqual([400, 'invalid_grant'])
  })

  it('may push only a request object that a key of its document has signed (RFC 9126 §3)', async () => {
    const [own, other] = [await createKeyedTool(), await createKeyedTool()]
    const { server } = await start(() => answer(own.document))
    const pushObject = async (by: KeyedTool) => {
      const form = { client_id: id, request: await by.requestObject(server, request), ...(await own.assertion(server)) }
      return postForm(server, '/auth/push', encode(form), {})
    }

    const refused = await pushObject(other)
    expect([refused.status, refused.json['error']]).toEqual([400, 'invalid_request_object'])
    const pushed = await pushObject(own)
    expect([pushed.status, (await withReference(server, pushed)).location.pathname]).toEqual([201, '/consent'])
  })

  it('is checked against its document again when the browser arrives (RFC 9126 §4)', async () => {
    const { server, site } = await start(() => answer(tool, { headers: { 'cache-control': 'no-store' } }))
    const pushed = await push(server)
    expect((await withReference(server, pushed)).location.pathname).toBe('/consent')
    site.serve = () => answer({ ...tool, redirect_uris: ['https://cli.test/other'] })

    await expectErrorPage(server, { send: () => withReference(server, pushed), reason: 'redirect_uri_mismatch' })
  })

  it.each([
    ['when the feature is off', 'off', id, 'client_unknown'],
    ['when its host is not allowed', { allow: ['other.test'] }, id, 'client_unknown'],
    ['when its client_id is not a valid address', {}, 'https://cli.test/a/../b', 'client_unknown'],
  ] as const)('is refused without a request for its document %s', async (_, options, client, reason) => {
    const { server, site } = await start(undefined, options)

    await expectJsonRefusal(
      server,
      { status: 401, error: 'invalid_client' },
      { send: () => push(server, { client_id: client }), reason },
    )
    expect(site.fetched).toEqual([])
  })

  it.each([
    ['has another client_id', () => answer({ ...tool, client_id: `${id}2` }), 400, 'client_document_invalid'],
    ['is HTML', () => new Response('<html>'), 400, 'client_document_invalid'],
    ['is gone', () => new Response(null, { status: 410 }), 400, 'client_document_withdrawn'],
    ['cannot be read', () => new Response(null, { status: 500 }), 503, 'client_document_unavailable'],
  ] as const)('is refused when its document %s', async (_, serve, status, reason) => {
    const { server } = await start(serve)
    const before = server.dump()

    const reply = await push(server)

    expect([reply.status, server.lastReason()]).toEqual([status, reason])
    expect(server.dump()).toBe(before)
  })

  it('shares a rate limit with all clients that anybody can push for, and a refused push stores nothing (RFC 6819 §4.4.1.11)', async () => {
    const keyed = await createKeyedTool()
    const documentAt = (url: string) => ({ ...keyed.document, client_id: url, redirect_uris: [`${url}/cb`] })
    const { server } = await start(
      (url) => answer(documentAt(url)),
      {},
      {
        rateLimits: { pushedRequestsOfStrangers: createMemoryRateLimiter({ points: 3, window: 60 }) },
      },
    )
    const asTool = async (n: number) => {
      const client = `https://cli${n}.test/a`
      return push(server, {
        client_id: client,
        redirect_uri: `${client}/cb`,
        ...(await keyed.assertion(server, client)),
      })
    }

    const replies = [await asTool(1), await asTool(2), await asTool(3)]
    const before = server.dump()
    const refused = await asTool(4)

    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201])
    expect([refused.status, server.lastReason(), server.dump()]).toEqual([429, 'pushes_throttled', before])
  })

  it.each(['/token', '/token/revocation'])('is unknown at %s until a user has consented', async (path) => {
    const { server, site } = await start()
    const form = { grant_type: 'authorization_code', code: 'x', token: 'x', client_id: id }

    await expectJsonRefusal(
      server,
      { status: 401, error: 'invalid_client' },
      { send: () => postForm(server, path, encode(form), {}), reason: 'client_unknown' },
    )
    expect(site.fetched).toEqual([])
  })
})

describe('a stored client that has a metadata document', () => {
  async function startWithTokens(options: Partial<Documents> = {}) {
    const { server, site } = await start(undefined, options)
    site.serve = () => answer({ ...tool, grant_types: ['authorization_code', 'refresh_token'] })
    const tokens = await publicRedeem(server, await codeOf(server))
    return { server, site, tokens: tokens.json }
  }

  it('stays usable without its document until staleFor has passed', async () => {
    const { server, site, tokens } = await startWithTokens()
    site.serve = () => Promise.reject(new TypeError('fetch failed'))
    server.clock.advance(86_399)

    expect((await visit(server)).location.pathname).not.toBe('/error')
    const refreshed = await refresh(server, tokens['refresh_token'])
    expect(refreshed.status).toBe(200)
    server.clock.advance(1)
    const before = server.dump()
    // RFC 6749 §5.2: invalid_client would tell the client to forget its credentials.
    const reply = await refresh(server, refreshed.json['refresh_token'])
    expect(reply).toMatchObject({ status: 503, json: { error: 'temporarily_unavailable' } })
    expect(server.lastReason()).toBe('client_document_unavailable')
    expect(server.dump()).toBe(before)
  })

  it('has its document read again after staleFor has passed', async () => {
    const { server, site, tokens } = await startWithTokens({ staleFor: 100 })
    server.clock.advance(86_400)

    expect((await refresh(server, tokens['refresh_token'])).status).toBe(200)
    expect(site.fetched).toHaveLength(2)
    expect((await findStored(server))?.documentReadAt).toBe(server.clock.now())
  })

  it('has its document read although strangers have used up the requests to its host (RFC 6585 §4)', async () => {
    const { server, site } = await startWithTokens()
    server.clock.advance(86_400)
    site.serve = (url) => (url === id ? answer(tool) : new Response(null, { status: 404 }))
    for (let n = 0; n < 60; n += 1) await visit(server, { client_id: `https://cli.test/${n}` })
    await visit(server, { client_id: 'https://cli.test/60' })
    expect(server.lastReason()).toBe('client_documents_throttled')

    expect((await visit(server)).status).toBe(303)
    expect(site.fetched.filter((url) => url === id)).toHaveLength(2)
  })

  it('gets no new code once it has withdrawn its document', async () => {
    const { server, site } = await startWithTokens()
    site.serve = () => new Response(null, { status: 404 })
    server.clock.advance(61)

    await expectErrorPage(server, { send: () => visit(server), reason: 'client_document_withdrawn' })
  })

  it('stays disabled when its document is due to be read again, and causes no request for it', async () => {
    const { server, site, tokens } = await startWithTokens()
    const client = await findStored(server)
    if (client === undefined) throw new Error('The client was not stored.')
    await server.storage.clients.compareAndSwap({ ...client, disabledAt: server.clock.now() }, client.version)
    server.clock.advance(90_000)

    await expectErrorPage(server, { send: () => visit(server), reason: 'client_disabled' })
    expect((await refresh(server, tokens['refresh_token'])).status).toBe(401)
    expect((await findStored(server))?.disabledAt).toBeDefined()
    expect(site.fetched).toHaveLength(1)
  })

  it('is refused once the feature is off', async () => {
    const { server, site } = await start(undefined, 'off')
    const described = {
      clientId: clientId(id),
      redirectUris: [redirect],
      documentDigest: 'digest',
      origin: 'document',
    } as const
    await server.storage.clients.insert(aClientRecord({ ...described, tokenEndpointAuthMethod: 'none', secrets: [] }))

    await expectErrorPage(server, { send: () => visit(server), reason: 'client_unknown' })
    const answer = { status: 401, error: 'invalid_client' }
    await expectJsonRefusal(server, answer, { send: () => refresh(server, 'unknown'), reason: 'client_unknown' })
    expect(site.fetched).toEqual([])
  })

  it('keeps the tokens of one device when the user consents on another one', async () => {
    const { server, tokens } = await startWithTokens()
    const second = await publicRedeem(server, await codeOf(server, { prompt: 'consent' }))

    expect(second.status).toBe(200)
    expect((await refresh(server, tokens['refresh_token'])).status).toBe(200)
    expect(await server.storage.grants.listByUser(userId('U1'))).toHaveLength(1)
  })

  it('keeps the tokens of one device when the user signs out on another one (RFC 7009 §2.1)', async () => {
    const { server, tokens } = await startWithTokens()
    const second = await publicRedeem(server, await codeOf(server, { prompt: 'consent' }))

    const form = `token=${String(second.json['refresh_token'])}&client_id=${encodeURIComponent(id)}`
    const revoked = await postForm(server, '/token/revocation', form, {})

    expect([revoked.status, (await refresh(server, second.json['refresh_token'])).status]).toEqual([200, 400])
    expect((await refresh(server, tokens['refresh_token'])).status).toBe(200)
  })

  it('law: two consents at the same time store one client', async () => {
    const { server } = await start()
    const visits = await Promise.all([visit(server), visit(server)])

    const done = await Promise.all(visits.map((started) => consent(server, started)))

    expect(done.map((reply) => reply.location.searchParams.has('code'))).toEqual([true, true])
    expect((await findStored(server))?.version).toBe(1)
  })

  it('cannot be registered under its URL', async () => {
    const { server } = await start()

    await expect(
      registerClient({ clientId: id, clientName: 'X', redirectUris: [redirect] }, { storage: server.storage }),
    ).rejects.toThrow('invalid_client_metadata')
  })
})

it('discovery says whether the server accepts metadata documents (Client ID Metadata Document §6)', async () => {
  const path = '/.well-known/oauth-authorization-server'
  const on = await (await start()).server.send({ path })
  const off = await (await start(undefined, 'off')).server.send({ path })

  expect(on.json['client_id_metadata_document_supported']).toBe(true)
  expect(off.json).not.toHaveProperty('client_id_metadata_document_supported')
})
