import { createAuthorizationServer, createStoredKeys, type RefusalReason } from '@mintmark/core'
import { clientId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { assertionOf } from '../support/client-assertion.ts'
import { createProofKey, type ProofKey, writeProof } from '../support/dpop.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { authorize, encode, postForm, verifier } from '../support/flow.ts'
import { readJws } from '../support/forge-jwt.ts'
import { pushAsB, signInAndConsent, visitPushed } from '../support/pushed-requests.ts'
import { expectServing, expectErrorRedirect, expectJsonRefusal } from '../support/expect-refusal.ts'
import { pushObject, writeRequestObject } from '../support/request-object.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await expectServing(site)
})
afterAll(() => site.close())

const issuer = 'https://as.test'
const open = (options: object, algorithms: readonly ['RS256'] | readonly ['ES256'] = ['ES256']) => {
  const storage = createMemoryStorage({ issuer })
  const keys = createStoredKeys({ storage, sealingKey: 'A'.repeat(43), algorithms })
  const minimumProfile = 'fapi2'
  return createAuthorizationServer({
    issuer,
    storage,
    keys,
    signedIn: async () => undefined,
    minimumProfile,
    ...options,
  })
}

it('a server does not start if its options contradict its minimum profile (FAPI 2.0 SP §5.3.2.1, §5.4.1)', () => {
  expect(() => open({ lifetimes: { authorizationCode: 61 } })).toThrow(
    /minimumProfile fapi2: lifetimes.authorizationCode/,
  )
  expect(() => open({ lifetimes: { pushedRequest: 600 } })).toThrow(/lifetimes.pushedRequest must be at most 599/)
  expect(() => open({}, ['RS256'])).toThrow(/minimumProfile fapi2: the key ring signs with none of/)
  expect(() => open({ minimumProfile: 'fapi3' })).toThrow(/minimumProfile/)
  expect(open({}).issuer).toBe(issuer)
})

describe('a client of FAPI 2.0', () => {
  const redirect_uri = 'https://b.test/cb'
  const fapi = { profile: 'fapi2', dpopBoundAccessTokens: true, idTokenSignedResponseAlg: 'ES256' }
  let own: ServerUnderTest
  let key: ProofKey
  beforeAll(async () => {
    own = await startServer({
      accessTokenAlgorithm: 'RS256',
      lifetimes: { authorizationCode: 300, pushedRequest: 600 },
    })
    key = await createProofKey()
    await changeClient(own.storage, clientId('B'), { ...fapi, grantTypes: ['authorization_code', 'refresh_token'] })
  })
  afterAll(() => own.close())

  const obtainCodeOfB = async (...scopes: readonly string[]) => {
    const change = scopes.length === 0 ? {} : { scope: scopes.join(' '), prompt: 'consent' }
    const pushed = await pushAsB(own, change)
    const started = await visitPushed(own, String(pushed.json['request_uri']), { client_id: 'B' })
    return (
      (await signInAndConsent(own, started, scopes.length === 0 ? undefined : scopes)).location.searchParams.get(
        'code',
      ) ?? ''
    )
  }
  const redeemWith = async (code: string, headers: Record<string, string>) => {
    const form = { grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier }
    return postForm(own, '/token', encode({ ...form, ...(await assertionOf(own)) }), headers)
  }

  it('gets bound tokens that are signed with a permitted algorithm (FAPI 2.0 SP §5.3.2.1, §5.4.1)', async () => {
    const reply = await redeemWith(await obtainCodeOfB(), { dpop: await writeProof(own, key) })

    expect(reply.json).toMatchObject({ token_type: 'DPoP' })
    expect(readJws(String(reply.json['access_token'])).header['alg']).toBe('ES256')
    expect(readJws(String(reply.json['id_token'])).header['alg']).toBe('ES256')
  })

  it('keeps the same refresh token, however often and late it refreshes (FAPI 2.0 SP §5.3.2.1)', async () => {
    const tokens = await redeemWith(await obtainCodeOfB('openid', 'offline_access'), {
      dpop: await writeProof(own, key),
    })
    const { refresh_token } = tokens.json
    const refreshWith = async (headers: Record<string, string>) =>
      postForm(
        own,
        '/token',
        encode({ grant_type: 'refresh_token', refresh_token: String(refresh_token), ...(await assertionOf(own)) }),
        headers,
      )

    for (const later of [0, 60]) {
      own.clock.advance(later)
      const reply = await refreshWith({ dpop: await writeProof(own, key) })
      expect(reply.json).toMatchObject({ token_type: 'DPoP', refresh_token })
    }
    expect((await refreshWith({})).json).toMatchObject({ error: 'invalid_dpop_proof' })
  })

  it('gets a request_uri that lives for less than 600 seconds, even if those of other clients live longer (FAPI 2.0 SP §5.3.2.2)', async () => {
    expect((await pushAsB(own)).json).toMatchObject({ expires_in: 599 })
  })

  it('gets all of the requested scope, or an error (RFC 6749 §3.3)', async () => {
    await expectJsonRefusal(
      own,
      { status: 400, error: 'invalid_scope' },
      { send: () => pushAsB(own, { scope: 'openid api.write' }), reason: 'scope_not_allowed', storage: 'may change' },
    )
  })

  it('gets no bearer token (FAPI 2.0 SP §5.3.2.1)', async () => {
    const code = await obtainCodeOfB()
    await expectJsonRefusal(
      own,
      { status: 400, error: 'invalid_dpop_proof' },
      { send: () => redeemWith(code, {}), reason: 'dpop_proof_missing', storage: 'may change' },
    )
  })

  it('gets codes that expire after a minute, even if codes of other clients expire later (FAPI 2.0 SP §5.3.2.1)', async () => {
    const code = await obtainCodeOfB()
    own.clock.advance(60)
    await expectJsonRefusal(
      own,
      { status: 400, error: 'invalid_grant' },
      {
        send: async () => redeemWith(code, { dpop: await writeProof(own, key) }),
        reason: 'code_unknown',
        storage: 'may change',
      },
    )
  })

  it('must push its requests, with PKCE, even if its registration requires neither (FAPI 2.0 SP §5.3.2.2)', async () => {
    await expectErrorRedirect(
      own,
      { error: 'invalid_request', at: redirect_uri },
      { send: () => authorize(own, { client_id: 'B', redirect_uri }), reason: 'push_required' },
    )
    await expectJsonRefusal(
      own,
      { status: 400, error: 'invalid_request' },
      {
        send: () => pushAsB(own, { code_challenge: undefined, code_challenge_method: undefined }),
        reason: 'code_challenge_missing',
        storage: 'may change',
      },
    )
  })

  it.each<[string, RefusalReason, (now: number) => Readonly<Record<string, unknown>>]>([
    ['no nbf', 'request_object_start_missing', () => ({ nbf: undefined })],
    ['nbf more than an hour ago', 'request_object_old', (now) => ({ nbf: now - 3601 })],
    ['exp more than an hour after nbf', 'request_object_long_lived', (now) => ({ exp: now + 3601 })],
  ])('with Message Signing, cannot use a request object with %s (FAPI 2.0 MS §5.3.1)', async (_, reason, claims) => {
    await changeClient(own.storage, clientId('B'), { profile: 'fapi2_message_signing' })
    const object = await writeRequestObject(own, { claims: claims(own.clock.now()) })

    await expectJsonRefusal(
      own,
      { status: 400, error: 'invalid_request_object' },
      { send: () => pushObject(own, object), reason, storage: 'may change' },
    )
    expect((await pushObject(own, writeRequestObject(own))).status).toBe(201)
    await changeClient(own.storage, clientId('B'), { profile: 'fapi2' })
  })

  it('with Message Signing, must sign its requests (FAPI 2.0 MS §5.3.1)', async () => {
    await changeClient(own.storage, clientId('B'), { profile: 'fapi2_message_signing' })
    await expectJsonRefusal(
      own,
      { status: 400, error: 'invalid_request' },
      { send: () => pushAsB(own), reason: 'request_object_required', storage: 'may change' },
    )
    await changeClient(own.storage, clientId('B'), { profile: 'fapi2' })
  })
})

it.each(['fapi2', 'fapi2_message_signing', 'unknown'])(
  'a client whose stored registration contradicts its profile %s gets nothing (FAPI 2.0 SP §5.3.2)',
  async (profile) => {
    await changeClient(site.storage, clientId('A'), { profile })
    await expectErrorRedirect(
      site,
      { error: 'unauthorized_client' },
      { send: () => authorize(site), reason: 'profile_contradicted' },
    )
    await changeClient(site.storage, clientId('A'), { profile: 'standard' })

    await changeClient(site.storage, clientId('B'), { profile, grantTypes: ['client_credentials'] })
    const assertion = await assertionOf(site)
    await expectJsonRefusal(
      site,
      { status: 400, error: 'unauthorized_client' },
      {
        send: () => postForm(site, '/token', encode({ grant_type: 'client_credentials', ...assertion }), {}),
        reason: 'profile_contradicted',
        // The assertion is used up.
        storage: 'may change',
      },
    )
    await changeClient(site.storage, clientId('B'), { profile: 'standard' })
  },
)

it('an assertion of a FAPI client must name the issuer as a string, not in a list (FAPI 2.0 SP §5.3.2.1)', async () => {
  await changeClient(site.storage, clientId('B'), { profile: 'fapi2' })
  const assertion = await assertionOf(site, { claims: { aud: [site.issuer] } })
  await expectJsonRefusal(
    site,
    { status: 401, error: 'invalid_client' },
    {
      send: () => postForm(site, '/token', encode({ grant_type: 'client_credentials', ...assertion }), {}),
      reason: 'client_assertion_audience',
    },
  )
  await changeClient(site.storage, clientId('B'), { profile: 'standard' })
})
