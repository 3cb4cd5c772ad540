import { clientId } from '@mintmark/storage-interface'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { assertionType } from '../support/client-assertion.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { answerInteraction, authorize, obtainCode, redeem, token } from '../support/flow.ts'
import { expectServing, expectRefusal, expectErrorRedirect, expectJsonRefusal } from '../support/expect-refusal.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await expectServing(site)
  await changeClient(site.storage, clientId('A'), { authorizationSignedResponseAlg: 'ES256' })
})
afterAll(() => site.close())

/** Verifies a signed response, which must be the only parameter of the query (JARM §2.3.1). @returns its claims. */
async function claimsOf(reply: Reply) {
  const { searchParams } = reply.location
  expect([...searchParams.keys()]).toEqual(['response'])
  return verify(searchParams.get('response') ?? '')
}

async function verify(response: string) {
  const keys = (await site.keys.publicKeys()).map(({ jwk }) => jwk)
  const { payload, protectedHeader } = await jwtVerify(response, createLocalJWKSet({ keys }), {
    issuer: site.issuer,
    audience: 'A',
    currentDate: new Date(site.clock.now() * 1000),
  })
  expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'oauth-authz-resp+jwt' })
  return payload
}

describe('a signed response (JARM §2)', () => {
  it.each(['jwt', 'query.jwt', undefined])('response_mode=%s returns the code in a JWT in the query', async (mode) => {
    const claims = await claimsOf(await authorize(site, { response_mode: mode }))

    expect(Object.keys(claims).toSorted()).toEqual(['aud', 'code', 'exp', 'iss', 'state'])
    expect(claims).toMatchObject({ aud: 'A', state: 's1', exp: site.clock.now() + 120 })
    const tokens = await redeem(site, String(claims['code']))
    expect(tokens.status).toBe(200)
  })

  it('form_post.jwt posts the signed response', async () => {
    const page = await authorize(site, { response_mode: 'form_post.jwt' })

    const response = /name="response" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    expect(page.text.match(/<input/g)).toHaveLength(1)
    expect(await verify(response)).toMatchObject({ state: 's1' })
  })

  it('has no state when the request had none', async () => {
    expect(await claimsOf(await authorize(site, { response_mode: 'jwt', state: undefined }))).not.toHaveProperty(
      'state',
    )
  })

  it('contains the denial of the user', async () => {
    const started = await authorize(site, { prompt: 'consent' })

    const claims = await claimsOf(await answerInteraction(site, started, 'deny=1'))

    expect(claims).toMatchObject({ error: 'access_denied', state: 's1' })
    await expectServingSigned()
  })

  it.each([
    ['a bad scope', { scope: 'api.write' }, 'invalid_scope', 'scope_not_allowed'],
    ['prompt=none without a session', { prompt: 'none' }, 'login_required', 'login_required'],
    [
      'an unsupported response type',
      { response_type: 'token' },
      'unsupported_response_type',
      'response_type_unsupported',
    ],
    ['response_mode=query', { response_mode: 'query' }, 'invalid_request', 'response_mode_unknown'],
    ['response_mode=form_post', { response_mode: 'form_post' }, 'invalid_request', 'response_mode_unknown'],
    ['response_mode=fragment.jwt', { response_mode: 'fragment.jwt' }, 'invalid_request', 'response_mode_unknown'],
    ['response_mode=jwt.query', { response_mode: 'jwt.query' }, 'invalid_request', 'response_mode_unknown'],
    ['response_mode=web_message.jwt', { response_mode: 'web_message.jwt' }, 'invalid_request', 'response_mode_unknown'],
  ] as const)('contains the error: %s', async (_, change, error, reason) => {
    const reply = await expectRefusal(site, {
      send: () => authorize(site, { response_mode: 'jwt', ...change }, { cookie: '' }),
      reason,
    })

    const claims = await claimsOf(reply)
    expect(Object.keys(claims).toSorted()).toEqual(['aud', 'error', 'error_description', 'exp', 'iss', 'state'])
    expect(claims).toMatchObject({ error, state: 's1' })
  })

  it('is replaced by an error page if the server cannot sign with the registered algorithm (JARM §3)', async () => {
    await changeClient(site.storage, clientId('A'), { authorizationSignedResponseAlg: 'PS256' })

    const reply = await expectRefusal(site, { send: () => authorize(site), reason: 'signing_algorithm_unavailable' })

    expect([reply.status, reply.header('location')]).toEqual([400, undefined])
    await changeClient(site.storage, clientId('A'), { authorizationSignedResponseAlg: 'ES256' })
  })

  it('is accepted neither as an ID token hint nor as an assertion (RFC 8725 §3.11)', async () => {
    const { searchParams } = (await authorize(site)).location
    const response = searchParams.get('response') ?? ''

    expect(decodeProtectedHeader(response).typ).toBe('oauth-authz-resp+jwt')
    const hinted = await expectRefusal(site, {
      send: () => authorize(site, { id_token_hint: response }),
      reason: 'id_token_hint_invalid',
    })
    expect(await claimsOf(hinted)).toMatchObject({ error: 'invalid_request' })
    await expectJsonRefusal(
      site,
      { status: 401, error: 'invalid_client' },
      {
        send: () =>
          token(
            site,
            {
              grant_type: 'client_credentials',
              client_id: 'B',
              client_assertion_type: assertionType,
              client_assertion: response,
            },
            { authorization: '' },
          ),
        reason: 'client_credentials_wrong',
      },
    )
  })
})

it.each(['jwt', 'query.jwt', 'form_post.jwt'])(
  'a client that is not registered for signed responses is refused response_mode=%s (JARM §3)',
  async (mode) => {
    const change = { client_id: 'X', redirect_uri: 'https://x.test/cb', response_mode: mode }
    await expectErrorRedirect(
      site,
      { error: 'invalid_request', at: 'https://x.test/cb' },
      { send: () => authorize(site, change), reason: 'response_mode_unknown' },
    )
  },
)

it('discovery lists the modes and the algorithms (JARM §4)', async () => {
  const { json } = await site.send({ path: '/.well-known/openid-configuration' })

  expect(json).toMatchObject({
    response_modes_supported: ['query', 'form_post', 'jwt', 'query.jwt', 'form_post.jwt'],
    authorization_signing_alg_values_supported: ['ES256', 'RS256'],
    request_parameter_supported: true,
    request_uri_parameter_supported: false,
    request_object_signing_alg_values_supported: ['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519'],
  })
})

async function expectServingSigned(): Promise<void> {
  await changeClient(site.storage, clientId('A'), { authorizationSignedResponseAlg: undefined })
  await obtainCode(site)
  await changeClient(site.storage, clientId('A'), { authorizationSignedResponseAlg: 'ES256' })
}
