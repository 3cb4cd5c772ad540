import { clientId } from '@mintmark/storage-interface'
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { authorize, challenge, encode, postForm, redeem, type Change } from '../support/flow.ts'
import { readJws, signEs256, signHs256, signNothing, writeJws } from '../support/forge-jwt.ts'
import { assertionOf } from '../support/client-assertion.ts'
import { signInAndConsent, visitPushed } from '../support/pushed-requests.ts'
import { expectServing, expectErrorRedirect, expectJsonRefusal, expectErrorPage } from '../support/expect-refusal.ts'
import { pushObject, visitObject, writeRequestObject, type ObjectChange } from '../support/request-object.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

// One file, because the same table of refused objects is sent to two endpoints.
let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await expectServing(site)
})
afterAll(() => site.close())

const B = clientId('B')
type Forge = (now: number) => ObjectChange | Promise<ObjectChange>

const stranger = await generateKeyPair('ES256', { extractable: true })

/** Request objects that are refused before their parameters are read: label, reason and change. */
const refusedObjects: readonly (readonly [string, string, Forge])[] = [
  ['alg none', 'request_object_unverified', () => ({ header: { alg: 'none' }, sign: signNothing(1) })],
  [
    'HS256 with a public string as the key',
    'request_object_unverified',
    () => ({ header: { alg: 'HS256' }, sign: signHs256(new TextEncoder().encode('b1')) }),
  ],
  ['an algorithm that no client may use', 'request_object_unverified', () => ({ header: { alg: 'ES512' } })],
  ["another client's key", 'request_object_unverified', () => ({ sign: signEs256(stranger.privateKey) })],
  [
    'a key in its own header',
    'request_object_unverified',
    async () => ({
      header: { kid: undefined, jwk: await exportJWK(stranger.publicKey) },
      sign: signEs256(stranger.privateKey),
    }),
  ],
  [
    'a URL of keys in its header',
    'request_object_unverified',
    () => ({ header: { jku: 'https://evil.test/jwks', kid: 'x' }, sign: signEs256(stranger.privateKey) }),
  ],
  ...['at+jwt', 'client-authentication+jwt', 'dpop+jwt', 'logout+jwt'].map(
    (typ) => [`typ ${typ} (RFC 8725 §3.11)`, 'request_object_unverified', () => ({ header: { typ } })] as const,
  ),
  ...[1, [], {}, null, true].flatMap((value) =>
    ['typ', 'cty'].map(
      (member) =>
        [
          `${member} ${JSON.stringify(value)} (RFC 7515 §4.1)`,
          'request_object_unverified',
          () => ({ header: { [member]: value } }),
        ] as const,
    ),
  ),
  [
    'an unencoded payload (RFC 7797 §7)',
    'request_object_unverified',
    () => ({ header: { b64: false, crit: ['b64'] } }),
  ],
  ['an unknown critical header', 'request_object_unverified', () => ({ header: { crit: ['exp'], exp: 1 } })],
  ['no iss', 'request_object_issuer', () => ({ claims: { iss: undefined } })],
  ['another iss', 'request_object_issuer', () => ({ claims: { iss: 'A' } })],
  ['no aud', 'request_object_audience', () => ({ claims: { aud: undefined } })],
  ['another aud', 'request_object_audience', () => ({ claims: { aud: 'https://other.test' } })],
  ['a list of other aud', 'request_object_audience', () => ({ claims: { aud: ['https://other.test'] } })],
  ['a nested list of aud', 'request_object_audience', () => ({ claims: { aud: [['https://as.test']] } })],
  ['no exp', 'request_object_expiry_missing', () => ({ claims: { exp: undefined } })],
  ['exp as a string', 'request_object_expiry_missing', (now) => ({ claims: { exp: String(now + 60) } })],
  ['exp now', 'request_object_expired', (now) => ({ claims: { exp: now } })],
  ['nbf in 31 seconds', 'request_object_early', (now) => ({ claims: { nbf: now + 31 } })],
  ['iat in 31 seconds', 'request_object_early', (now) => ({ claims: { iat: now + 31 } })],
  ['another client_id inside', 'request_object_contradicted', () => ({ claims: { client_id: 'A' } })],
  ['no client_id inside', 'request_object_contradicted', () => ({ claims: { client_id: undefined } })],
  ['a request parameter inside', 'request_object_member', () => ({ claims: { request: 'x' } })],
  ['an empty request parameter inside', 'request_object_member', () => ({ claims: { request: '' } })],
  [
    'a request_uri parameter inside',
    'request_object_member',
    () => ({ claims: { request_uri: 'https://b.test/object' } }),
  ],
  ['a subject', 'request_object_member', () => ({ claims: { sub: 'B' } })],
  ...['\uD800', 'a\uDC00b', '\u0000'].map(
    (text) =>
      [
        `state ${JSON.stringify(text)} (RFC 3986 §2.5)`,
        'request_object_member',
        () => ({ claims: { state: text } }),
      ] as const,
  ),
  [
    'half a surrogate pair in a nested claim (RFC 3986 §2.5)',
    'request_object_member',
    () => ({ claims: { claims: { id_token: { name: { value: '\uD800' } } } } }),
  ],
  ['claims a thousand levels deep', 'request_object_member', () => ({ claims: { claims: nested(1000) } })],
  ['scope as a list', 'request_object_member', () => ({ claims: { scope: ['openid'] } })],
  ['state as a number', 'request_object_member', () => ({ claims: { state: 5 } })],
  ['nonce as an object', 'request_object_member', () => ({ claims: { nonce: {} } })],
  [
    'a resource that is not a string',
    'request_object_member',
    () => ({ claims: { resource: ['https://api.test', 5] } }),
  ],
]

describe('an invalid request object leads to an error page, because it does not prove the redirect URI (RFC 9101 §6)', () => {
  it.each(refusedObjects)('%s', async (_, reason, forge) => {
    const object = await writeRequestObject(site, await forge(site.clock.now()))

    const page = await expectErrorPage(site, {
      send: () => visitObject(site, object),
      reason: reason as 'request_object_member',
      secrets: [object],
    })

    expect(page.text).toContain('invalid_request_object')
  })

  it.each([
    ['a string that is not a JWS', () => Promise.resolve('request')],
    ['a JWE (RFC 9101 §10.5)', () => Promise.resolve('eyJhbGciOiJSU0EtT0FFUCJ9.e30.e30.e30.e30')],
    ['a payload that is not JSON', () => writeJws({ alg: 'ES256' }, 'x', signEs256(site.clients.B.privateKey))],
    ['a payload that is a list', () => writeJws({ alg: 'ES256' }, [], signEs256(site.clients.B.privateKey))],
    ['a repeated member (RFC 7519 §4)', () => withRepeated('"state":"other"')],
    ['a repeated member with an escape (RFC 7519 §4)', () => withRepeated('"st\\u0061te":"other"')],
    ['padding', async () => `${await writeRequestObject(site)}=`],
  ])('%s', async (_, write) => {
    const object = await write()
    await expectErrorPage(site, { send: () => visitObject(site, object), reason: 'request_object_unverified' })
  })

  it('another response_type outside (OIDC Core §6.1)', async () => {
    const object = await writeRequestObject(site)
    const send = () => visitObject(site, object, { response_type: 'token' })
    await expectErrorPage(site, { send, reason: 'request_object_contradicted' })
  })

  it('a repeated request parameter (RFC 6749 §3.1)', async () => {
    const object = await writeRequestObject(site)
    const path = `/auth?${encode({ client_id: 'B', request: object })}&request=x`
    await expectErrorPage(site, { send: () => site.send({ path }), reason: 'parameter_repeated' })
  })

  it('an unregistered redirect URI inside, although a registered one is outside (RFC 9101 §6.3)', async () => {
    const object = await writeRequestObject(site, { claims: { redirect_uri: 'https://evil.test/cb' } })
    const send = () => visitObject(site, object, { redirect_uri: 'https://b.test/cb' })
    await expectErrorPage(site, { send, reason: 'redirect_uri_mismatch' })
  })

  it('no redirect URI inside (RFC 9101 §6.3)', async () => {
    const object = await writeRequestObject(site, { claims: { redirect_uri: undefined } })
    const send = () => visitObject(site, object, { redirect_uri: 'https://b.test/cb' })
    await expectErrorPage(site, { send, reason: 'redirect_uri_missing' })
  })
})

describe('a pushed request object is refused in JSON (RFC 9126 §3)', () => {
  it.each(['x', 'claims'])('with a member %s that is nested thousands of levels deep (RFC 8259 §9)', async (name) => {
    const [now, deep] = [site.clock.now(), '['.repeat(5400) + ']'.repeat(5400)]
    const claims = `{"iss":"B","aud":"${site.issuer}","exp":${now + 60},"nbf":${now},"client_id":"B","${name}":${deep}}`
    const object = await writeJws({ alg: 'ES256', kid: 'b1' }, claims, signEs256(site.clients.B.privateKey))

    const send = () => pushObject(site, object)
    const [refused, reason] = [{ status: 400, error: 'invalid_request_object' }, 'request_object_member'] as const
    await expectJsonRefusal(site, refused, { send, reason, storage: 'may change' })
  })

  it.each(refusedObjects.filter(([name]) => !name.includes('typ')))('%s', async (_, reason, forge) => {
    const object = await writeRequestObject(site, await forge(site.clock.now()))

    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_request_object' },
      {
        send: () => pushObject(site, object),
        reason: reason as 'request_object_member',
        // The assertion is used up.
        storage: 'may change',
      },
    )
  })

  it('ignores parameters outside of the object', async () => {
    const object = await writeRequestObject(site, { claims: { state: undefined } })
    const reply = await pushObject(site, object, {
      scope: 'openid email',
      state: 'outside',
      redirect_uri: 'https://evil.test',
    })

    const started = await visitPushed(site, String(reply.json['request_uri']), { client_id: 'B' })
    const done = await signInAndConsent(site, started)

    expect(done.location.href.split('?')[0]).toBe('https://b.test/cb')
    expect(done.location.searchParams.has('state')).toBe(false)
  })
})

describe('a request object is accepted (RFC 9101 §6)', () => {
  it.each<[string, Forge]>([
    ['as it is', () => ({})],
    ['with a further audience', () => ({ claims: { aud: ['https://other.test', 'https://as.test'] } })],
    ['8 seconds early', (now) => ({ claims: { nbf: now + 8, iat: now + 8 } })],
    ['without typ', () => ({ header: { typ: undefined } })],
    ['with max_age as a number', () => ({ claims: { max_age: 300 } })],
    ['with max_age as a string', () => ({ claims: { max_age: '300' } })],
    ['with claims as JSON', () => ({ claims: { claims: { id_token: { email: null } } } })],
    ['with a list of resources', () => ({ claims: { resource: ['https://as.test'] } })],
    ['with members of an unknown meaning', () => ({ claims: { extra: { a: [1] }, more: null } })],
    ['with an empty login_hint', () => ({ claims: { login_hint: '' } })],
  ])('%s', async (_, change) => {
    const object = await writeRequestObject(site, await change(site.clock.now()))

    const done = await signInAndConsent(site, await visitObject(site, object))

    expect(done.location.href.split('?')[0]).toBe('https://b.test/cb')
    expect(done.location.searchParams.get('state')).toBe('s1')
    const code = done.location.searchParams.get('code') ?? ''
    const assertion = await assertionOf(site)
    const tokens = await redeem(site, code, { ...assertion, redirect_uri: 'https://b.test/cb' }, { authorization: '' })
    expect(tokens.status).toBe(200)
  })

  it('for several sign-ins within its lifetime, because a reload must not fail (RFC 9101 §10.2)', async () => {
    const object = await writeRequestObject(site)

    for (let visit = 0; visit < 3; visit += 1) {
      const done = await signInAndConsent(site, await visitObject(site, object))
      expect(done.location.searchParams.has('code')).toBe(true)
    }
  })

  it('even if the user takes longer than its lifetime', async () => {
    const started = await visitObject(site, writeRequestObject(site))
    site.clock.advance(1500)

    expect((await signInAndConsent(site, started)).location.searchParams.has('code')).toBe(true)
  })

  it('and parameters outside of it are ignored, even a state that it does not contain (RFC 9101 §6.3)', async () => {
    const object = await writeRequestObject(site, { claims: { state: undefined } })
    const outside = { scope: 'admin', redirect_uri: 'https://evil.test/cb', state: 'x', prompt: 'none' }

    const done = await signInAndConsent(site, await visitObject(site, object, outside))

    expect(done.location.href.split('?')[0]).toBe('https://b.test/cb')
    expect(done.location.searchParams.has('state')).toBe(false)
  })

  it('by a cross-site POST, which is repeated as a GET of the same object', async () => {
    const object = await writeRequestObject(site)
    const reply = await postForm(site, '/auth', encode({ client_id: 'B', request: object, state: 'outside' }), {
      'sec-fetch-site': 'cross-site',
    })

    expect(Object.fromEntries(reply.location.searchParams)).toEqual({ client_id: 'B', request: object })
  })

  it('with claims that are named like members of Object.prototype, which have no effect', async () => {
    const claims = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') as object
    const started = await visitObject(site, writeRequestObject(site, { claims: { ...claims, toString: 'x' } }))

    expect(started.status).toBe(303)
    expect('polluted' in {}).toBe(false)
  })
})

describe('errors found after the signature is verified go to the redirect URI in the request object (RFC 9101 §6)', () => {
  const at = 'https://b.test/cb'
  it.each<[string, ObjectChange['claims'], string, string]>([
    ['an unknown prompt', { prompt: 'x' }, 'invalid_request', 'prompt_invalid'],
    ['max_age of -1', { max_age: -1 }, 'invalid_request', 'max_age_invalid'],
    ['max_age of 1.5', { max_age: 1.5 }, 'invalid_request', 'max_age_invalid'],
    ['a scope that is not registered', { scope: 'api.write' }, 'invalid_scope', 'scope_not_allowed'],
    ['claims of another shape', { claims: ['x'] }, 'invalid_request', 'claims_malformed'],
    ['a registration', { registration: {} }, 'registration_not_supported', 'parameter_unsupported'],
  ])('%s', async (_, claims, error, reason) => {
    const object = await writeRequestObject(site, { claims: claims ?? {} })
    await expectErrorRedirect(
      site,
      { error, at },
      {
        send: () => visitObject(site, object, { redirect_uri: 'https://evil.test/cb' }),
        reason: reason as 'prompt_invalid',
      },
    )
  })
})

function nested(depth: number): unknown {
  let value: unknown = {}
  for (let level = 0; level < depth; level += 1) value = { a: value }
  return value
}

describe('the registration of a client for request objects (RFC 9101 §10.5)', () => {
  const change = (changed: object) => changeClient(site.storage, B, changed)

  it('a client that is registered for PS256 is refused with ES256', async () => {
    await change({ requestObjectSigningAlg: 'PS256' })
    const object = await writeRequestObject(site)
    await expectErrorPage(site, { send: () => visitObject(site, object), reason: 'request_object_unverified' })
    await change({ requestObjectSigningAlg: undefined })
  })

  it('a client that must sign its requests is refused without a request object', async () => {
    await change({ requireSignedRequestObject: true })
    const plain: Change = { client_id: 'B', redirect_uri: 'https://b.test/cb', code_challenge: challenge }

    await expectErrorRedirect(
      site,
      { error: 'invalid_request', at: 'https://b.test/cb' },
      { send: () => authorize(site, plain), reason: 'request_object_required' },
    )
    const assertion = await assertionOf(site)
    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_request' },
      {
        send: () =>
          postForm(site, '/auth/push', encode({ ...plain, response_type: 'code', scope: 'openid', ...assertion }), {}),
        reason: 'request_object_required',
        storage: 'may change',
      },
    )
    const done = await signInAndConsent(site, await visitObject(site, writeRequestObject(site)))
    expect(done.location.searchParams.has('code')).toBe(true)
    const pushed = await pushObject(site, writeRequestObject(site))
    expect((await visitPushed(site, String(pushed.json['request_uri']), { client_id: 'B' })).status).toBe(303)
    await change({ requireSignedRequestObject: false })
  })

  it('a client without keys gets no state back that a URL cannot contain (RFC 3986 §2.5)', async () => {
    const object = await writeRequestObject(site, { claims: { iss: 'A', client_id: 'A', state: '\uD800' } })
    await expectErrorRedirect(
      site,
      { error: 'request_not_supported', state: null },
      {
        send: () => authorize(site, { client_id: 'A', request: object, state: undefined }),
        reason: 'parameter_unsupported',
      },
    )
  })

  it('a client without keys gets request_not_supported (OIDC Core §3.1.2.6)', async () => {
    const object = await writeRequestObject(site, { claims: { iss: 'A', client_id: 'A' } })
    await expectErrorRedirect(
      site,
      { error: 'request_not_supported' },
      { send: () => authorize(site, { request: object }), reason: 'parameter_unsupported' },
    )
  })
})

it.each(['https://evil.test/obj', 'http://127.0.0.1/', 'data:,x', 'file:///etc/passwd'])(
  'a request object by reference is refused without a fetch: %s (RFC 9101 §10.4)',
  async (address) => {
    await expectErrorRedirect(
      site,
      { error: 'request_uri_not_supported' },
      { send: () => authorize(site, { request_uri: address }), reason: 'parameter_unsupported' },
    )
  },
)

/** Signs a request object with a member in front of its own members, so that one name occurs twice. */
async function withRepeated(member: string): Promise<string> {
  const { header, payload } = readJws(await writeRequestObject(site))
  return writeJws(header, `{${member},${JSON.stringify(payload).slice(1)}`, signEs256(site.clients.B.privateKey))
}
