import type { ServerRequest } from '@mintmark/core/http'
import { clientId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import type { PushedRequestRecord } from '@mintmark/storage-interface/stores'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { assertionOf } from '../support/client-assertion.ts'
import { changeClient } from '../support/fixture-clients.ts'
import {
  authorize,
  basic,
  browserCookies,
  encode,
  postForm,
  redeem,
  signedInAs,
  token,
  type Change,
} from '../support/flow.ts'
import { push, pushAsB, obtainRequestUri, signInAndConsent, visitPushed } from '../support/pushed-requests.ts'
import {
  expectServing,
  expectRefusal,
  expectErrorRedirect,
  expectJsonRefusal,
  expectErrorPage,
} from '../support/expect-refusal.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

// One file for the whole life of a pushed request: pushing, visiting, completing.
let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await expectServing(site)
})
afterAll(() => site.close())

const prefix = 'urn:ietf:params:oauth:request_uri:'
const idOf = { A: clientId('A') }
const rows = (): number => (JSON.parse(site.dump()) as { pushedRequests: readonly unknown[] }).pushedRequests.length

describe('pushing a request (RFC 9126 §2)', () => {
  it('stores it and answers with a reference that is valid for a minute (RFC 9126 §2.2)', async () => {
    const before = rows()

    const reply = await push(site)

    expect(reply.status).toBe(201)
    expect(reply.json).toEqual({
      request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:[\w-]{43}$/) as unknown,
      expires_in: 60,
    })
    expect(reply.header('cache-control')).toBe('no-store')
    expect(rows()).toBe(before + 1)
    expect(site.dump()).not.toContain(String(reply.json['request_uri']).slice(prefix.length))
    expect(site.events.at(-1)).toMatchObject({ type: 'request.pushed', clientId: 'A' })
  })

  it('needs only client_id from a public client (RFC 9126 §2)', async () => {
    const reply = await push(site, { client_id: 'P', redirect_uri: 'https://spa.test/cb' }, { authorization: '' })

    expect(reply.status).toBe(201)
  })

  it('does not need client_id from a client that authenticates in the header (RFC 9126 §2)', async () => {
    const reply = await push(site, { client_id: undefined })

    const started = await visitPushed(site, String(reply.json['request_uri']))
    expect([reply.status, started.status]).toEqual([201, 303])
  })

  it('accepts a form that a page of another origin posts for its public client (RFC 9126 §2)', async () => {
    const reply = await push(
      site,
      { client_id: 'P', redirect_uri: 'https://spa.test/cb' },
      { authorization: '', origin: 'https://spa.test' },
    )

    expect([reply.status, reply.header('access-control-allow-origin')]).toEqual([201, 'https://spa.test'])
  })

  it('stores neither the secret nor the assertion of the client (RFC 9126 §7.5)', async () => {
    const assertion = await assertionOf(site)
    await push(site, { client_id: 'B', redirect_uri: 'https://b.test/cb', ...assertion }, { authorization: '' })

    expect(site.dump()).not.toContain(String(assertion['client_assertion']))
  })

  it.each([
    ['a request without authentication', { client_id: 'A' }, '', 'client_authentication_method'],
    ['a wrong secret', {}, basic('A', 'wrong'), 'client_credentials_wrong'],
    ['a client that does not exist', { client_id: 'ghost' }, '', 'client_unknown'],
  ] as const)('refuses %s (RFC 9126 §2.3)', async (_, change, authorization, reason) => {
    await expectJsonRefusal(
      site,
      { status: 401, error: 'invalid_client' },
      { send: () => push(site, change, { authorization }), reason },
    )
  })

  it('refuses a request_uri in the pushed request (RFC 9126 §2.1)', async () => {
    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_request' },
      { send: () => push(site, { request_uri: `${prefix}abc` }), reason: 'request_uri_pushed' },
    )
  })

  it.each<[string, Change, string, string]>([
    [
      'an unregistered redirect_uri',
      { redirect_uri: 'https://evil.test/cb' },
      'invalid_request',
      'redirect_uri_mismatch',
    ],
    ['a request without redirect_uri', { redirect_uri: undefined }, 'invalid_request', 'redirect_uri_missing'],
    ['prompt=none login', { prompt: 'none login' }, 'invalid_request', 'prompt_invalid'],
    ['a scope that is not registered', { scope: 'api.write' }, 'invalid_scope', 'scope_not_allowed'],
    ['malformed claims', { claims: '{' }, 'invalid_request', 'claims_malformed'],
    [
      'claims with a repeated member',
      { claims: '{"userinfo":{},"userinfo":{}}' },
      'invalid_request',
      'claims_malformed',
    ],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request', 'code_challenge_method'],
    [
      'a request without PKCE',
      { code_challenge: undefined, code_challenge_method: undefined },
      'invalid_request',
      'code_challenge_missing',
    ],
    ['response_type=token', { response_type: 'token' }, 'unsupported_response_type', 'response_type_unsupported'],
    ['an unknown resource', { resource: 'https://nobody.test' }, 'invalid_target', 'resource_unknown'],
    ['a nonce of 1,025 bytes', { nonce: 'n'.repeat(1025) }, 'invalid_request', 'parameter_too_long'],
  ])('refuses %s in JSON, without a redirect (RFC 9126 §2.3)', async (_, change, error, reason) => {
    await expectJsonRefusal(
      site,
      { status: 400, error },
      { send: () => push(site, change), reason: reason as 'prompt_invalid' },
    )
  })

  it.each(['GET', 'PUT', 'DELETE'])('refuses %s (RFC 9126 §2.3)', async (method) => {
    const reply = await expectRefusal(site, {
      send: () => site.send({ method, path: '/auth/push' }),
      reason: 'method_not_allowed',
    })

    expect([reply.status, reply.header('allow')]).toEqual([405, 'POST'])
  })

  it.each([
    ['one byte more than 16 KiB', `x=${'a'.repeat(16_383)}`, 413, 'message_too_large'],
    ['65 parameters', Array.from({ length: 65 }, (_, at) => `p${at}=1`).join('&'), 400, 'parameters_malformed'],
    ['a repeated parameter', 'state=1&state=2', 400, 'parameter_repeated'],
  ] as const)('refuses a form of %s (RFC 9126 §2.3)', async (_, body, status, reason) => {
    const authorization = basic('A', site.clients.A.secret)
    const reply = await expectRefusal(site, {
      send: () => postForm(site, '/auth/push', body, { authorization }),
      reason,
    })

    expect(reply.status).toBe(status)
  })

  it('refuses an assertion that was used at the token endpoint, and vice versa (RFC 7523 §3)', async () => {
    const assertion = await assertionOf(site)
    await token(site, { grant_type: 'client_credentials', ...assertion }, { authorization: '' })
    await expectJsonRefusal(
      site,
      { status: 401, error: 'invalid_client' },
      { send: () => pushAsB(site, assertion), reason: 'client_credentials_wrong' },
    )

    const other = await assertionOf(site)
    expect((await pushAsB(site, other)).status).toBe(201)
    await expectJsonRefusal(
      site,
      { status: 401, error: 'invalid_client' },
      {
        send: () => token(site, { grant_type: 'client_credentials', ...other }, { authorization: '' }),
        reason: 'client_credentials_wrong',
      },
    )
  })
})

describe('the authorization endpoint with a pushed request (RFC 9126 §4)', () => {
  let uri = ''
  beforeEach(async () => {
    uri = await obtainRequestUri(site)
  })

  it('issues the code that the pushed parameters request', async () => {
    const started = await visitPushed(site, uri)
    const done = await signInAndConsent(site, started)

    expect(done.location.origin + done.location.pathname).toBe('https://app.test/cb')
    expect(done.location.searchParams.get('state')).toBe('s1')
    const tokens = await redeem(site, done.location.searchParams.get('code') ?? '')
    expect(tokens.json).toMatchObject({ scope: 'openid profile' })
  })

  it('keeps the request while the page is reloaded, and issues one code', async () => {
    for (let visit = 0; visit < 5; visit += 1) expect((await visitPushed(site, uri)).status).toBe(303)

    const done = await signInAndConsent(site, await visitPushed(site, uri))

    expect(done.location.searchParams.has('code')).toBe(true)
    await expectErrorPage(site, { send: () => visitPushed(site, uri), reason: 'request_uri_used' })
  })

  it('issues a code to the first of two tabs, and shows a page in the second', async () => {
    const [first, second] = [await visitPushed(site, uri), await visitPushed(site, uri)]
    const done = await signInAndConsent(site, first)

    expect(done.location.searchParams.has('code')).toBe(true)
    const late = await expectErrorPage(site, {
      send: () => signInAndConsent(site, second),
      reason: 'request_uri_used',
      storage: 'may change',
    })
    expect(late.text).toContain('invalid_request_uri')
  })

  it('issues only one code for concurrent requests of a browser that needs no page', async () => {
    await signInAndConsent(site, await visitPushed(site, uri))
    const silent = await obtainRequestUri(site)
    const cookie = signedInAs(site, 'U1')

    const replies = await Promise.all(Array.from({ length: 10 }, () => visitPushed(site, silent, {}, { cookie })))

    expect(replies.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(9)
  })

  it('refuses a request that was pushed more than a minute ago (RFC 9126 §2.2)', async () => {
    site.clock.advance(60)

    await expectErrorPage(site, { send: () => visitPushed(site, uri), reason: 'request_uri_unknown' })
  })

  it('limits only the time until the first visit: a user may take longer to sign in (RFC 9126 §2.2)', async () => {
    site.clock.advance(59)
    const started = await visitPushed(site, uri)
    site.clock.advance(1500)

    const done = await signInAndConsent(site, started)

    expect(done.location.searchParams.has('code')).toBe(true)
  })

  it('ignores everything but client_id and request_uri', async () => {
    const extras = { scope: 'openid email', redirect_uri: 'https://evil.test/cb', state: 'x', prompt: 'none' }
    const done = await signInAndConsent(site, await visitPushed(site, uri, extras))

    expect(done.location.origin).toBe('https://app.test')
    expect(done.location.searchParams.get('state')).toBe('s1')
  })

  it('repeats a cross-site POST as a GET of the same reference', async () => {
    const reply = await postForm(site, '/auth', encode({ client_id: 'A', request_uri: uri }), {
      'sec-fetch-site': 'cross-site',
    })

    expect(reply.location.pathname).toBe('/auth')
    expect(Object.fromEntries(reply.location.searchParams)).toEqual({ client_id: 'A', request_uri: uri })
  })

  it('does not use up the request for HEAD (RFC 9110 §9.2.1)', async () => {
    const path = `/auth?${encode({ client_id: 'A', request_uri: uri })}`
    expect((await site.send({ method: 'HEAD', path })).status).toBe(200)

    expect((await visitPushed(site, uri)).status).toBe(303)
  })

  it.each<[string, (known: string) => string]>([
    ['of 42 characters', (known) => known.slice(0, -1)],
    ['of 44 characters', (known) => `${known}A`],
    ['with a space at the end', (known) => `${known} `],
    ['with an escape', (known) => `${known.slice(0, -1)}%2D`],
    ['that was never issued', () => prefix + 'A'.repeat(43)],
  ])('refuses a reference %s (RFC 9126 §2.2)', async (_, change) => {
    await expectErrorPage(site, { send: () => visitPushed(site, change(uri)), reason: 'request_uri_unknown' })
  })

  it.each([
    ['in upper case', (known: string) => known.toUpperCase()],
    ['with another URN', (known: string) => known.replace('request_uri:', 'other:')],
  ])('shows a page for a reference %s (RFC 9126 §2.2)', async (_, change) => {
    await expectErrorPage(site, { send: () => visitPushed(site, change(uri)), reason: 'redirect_uri_missing' })
  })

  it("refuses another client's reference (RFC 9126 §2.2)", async () => {
    const reason = 'request_uri_unknown'
    await expectErrorPage(site, { send: () => visitPushed(site, uri, { client_id: 'X' }), reason })

    expect((await visitPushed(site, uri)).status).toBe(303)
  })

  it('refuses a reference without client_id, and a repeated one (RFC 9101 §5)', async () => {
    const withoutClient = () => visitPushed(site, uri, { client_id: undefined })
    await expectErrorPage(site, { send: withoutClient, reason: 'client_id_missing' })
    const path = `/auth?${encode({ client_id: 'A', request_uri: uri })}&${encode({ request_uri: uri })}`
    await expectErrorPage(site, { send: () => site.send({ path }), reason: 'parameter_repeated' })
  })
})

describe('a pushed request is validated again when a browser arrives (RFC 9126 §4)', () => {
  it.each([
    ['disabled', { disabledAt: 1 }, 'client_disabled'],
    ['registered for another redirect URI', { redirectUris: ['https://app.test/new'] }, 'redirect_uri_mismatch'],
  ] as const)('refuses a client that has been %s in the meantime', async (_, change, reason) => {
    const uri = await obtainRequestUri(site)
    const { version: _version, ...before } = (await site.storage.clients.find(idOf.A)) ?? {}
    await changeClient(site.storage, idOf.A, change as object)

    await expectErrorPage(site, { send: () => visitPushed(site, uri), reason })
    await changeClient(site.storage, idOf.A, before)
  })

  it('redirects with an error if the client has lost its scopes in the meantime', async () => {
    const uri = await obtainRequestUri(site, { scope: 'openid email' })
    const { scopes = [] } = (await site.storage.clients.find(idOf.A)) ?? {}
    await changeClient(site.storage, idOf.A, { scopes: [] })

    await expectErrorRedirect(
      site,
      { error: 'invalid_scope' },
      { send: () => visitPushed(site, uri), reason: 'scope_not_allowed' },
    )
    await changeClient(site.storage, idOf.A, { scopes })
  })
})

describe('one code for one pushed request (RFC 9126 §4)', () => {
  it('issues a code to only one of two tabs that were both opened before either was completed', async () => {
    const uri = await obtainRequestUri(site)
    const tabs = [await visitPushed(site, uri), await visitPushed(site, uri)]
    const pending = await Promise.all(tabs.map((tab) => site.server.interaction(postedBy(tab))))
    const answer = { subject: 'U1', authTime: site.clock.now(), grantedScopes: ['openid', 'profile'] }
    const codes = () => (JSON.parse(site.dump()) as { codes: readonly unknown[] }).codes.length
    const before = codes()

    const ended = await Promise.allSettled(pending.map((tab) => tab.complete(answer)))

    expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(ended.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'invalid_request_uri', reason: 'request_uri_used' },
    })
    expect(codes()).toBe(before + 1)
  })

  it.each([
    ['another client’s request', (record: PushedRequestRecord) => ({ ...record, clientId: clientId('X') })],
    ['a request that has expired', (record: PushedRequestRecord) => ({ ...record, usableUntil: record.createdAt })],
    ['a request without an expiry time', ({ usableUntil: _dropped, ...record }: PushedRequestRecord) => record],
  ])('refuses %s from a faulty store', async (_, read) => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    const { pushedRequests } = storage
    const faulty = await startServer({
      storage: {
        ...storage,
        pushedRequests: {
          ...pushedRequests,
          find: async (...call) => {
            const found = await pushedRequests.find(...call)
            return typeof found === 'object' ? (read(found) as PushedRequestRecord) : found
          },
        },
      },
    })
    const uri = await obtainRequestUri(faulty)

    await expectErrorPage(faulty, { send: () => visitPushed(faulty, uri), reason: 'request_uri_unknown' })
    await faulty.close()
  })
})

/** Creates the request with which the browser of an interaction posts a form to the host's page. */
const postedBy = (started: Reply): ServerRequest => ({
  method: 'POST',
  url: started.location,
  headers: new Map([
    ['cookie', browserCookies(started)],
    ['origin', site.issuer],
  ]),
  repeatedHeaders: new Set(),
  host: undefined,
  body: new Uint8Array(),
})

describe('requests that must be pushed (RFC 9126 §5, §6)', () => {
  it('refuses a request that was not pushed if the registration of the client requires pushed requests', async () => {
    await changeClient(site.storage, idOf.A, { requirePushedAuthorizationRequests: true })

    await expectErrorRedirect(
      site,
      { error: 'invalid_request' },
      { send: () => authorize(site), reason: 'push_required' },
    )
    expect((await visitPushed(site, await obtainRequestUri(site))).status).toBe(303)
    await changeClient(site.storage, idOf.A, { requirePushedAuthorizationRequests: false })
  })

  it('a server can require pushed requests from all clients, and discovery says so', async () => {
    const strict = await startServer({ requirePushedAuthorizationRequests: true })

    const { json } = await strict.send({ path: '/.well-known/oauth-authorization-server' })
    await expectErrorRedirect(
      strict,
      { error: 'invalid_request' },
      { send: () => authorize(strict), reason: 'push_required' },
    )

    expect(json).toMatchObject({
      pushed_authorization_request_endpoint: 'https://as.test/auth/push',
      require_pushed_authorization_requests: true,
    })
    expect((await visitPushed(strict, await obtainRequestUri(strict))).status).toBe(303)
    await strict.close()
  })
})

describe('limits (RFC 9126 §2.3)', () => {
  it.each([
    ['pushedRequests', 'A', 'P'],
    ['pushedRequestsOfStrangers', 'P', 'A'],
  ] as const)(
    'a request beyond rateLimits.%s gets 429 with Retry-After, and those of others do not',
    async (name, limitedClient, other) => {
      const limited = await startServer({
        rateLimits: { [name]: { consume: async () => ({ allowed: false, retryAfter: 7 }) } as never },
      })
      const pushAs = (client: 'A' | 'P') =>
        client === 'P'
          ? push(limited, { client_id: 'P', redirect_uri: 'https://spa.test/cb' }, { authorization: '' })
          : push(limited)

      const reply = await expectJsonRefusal(
        limited,
        { status: 429, error: 'temporarily_unavailable' },
        { send: () => pushAs(limitedClient), reason: 'pushes_throttled', storage: 'may change' },
      )

      expect(reply.header('retry-after')).toBe('7')
      expect((await pushAs(other)).status).toBe(201)
      await limited.close()
    },
  )
})
