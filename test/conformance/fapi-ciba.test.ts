// Each test is an expectation of a module of the plan fapi-ciba-id1-test-plan (poll and ping) that no other test covers. The
// signed requests, polls and notifications of any client are in test/attacks and test/flows.
import { generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'

import { certificateHeader, commonName, issueCertificate } from '../support/certificates.ts'
import { answerOf } from '../support/ciba-world.ts'
import { signEs256, signNothing, type SignBytes } from '../support/forge-jwt.ts'
import { startFapiCibaServer, type FapiCibaSite } from './fapi-ciba-client.ts'

const signRs256 = async (): Promise<SignBytes> => {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return async (input) =>
    new Uint8Array(await crypto.subtle.sign('RSASSA-PKCS1-v1_5', privateKey, new Uint8Array(input)))
}

/** Has the user approve a request of the client. */
async function approved(site: FapiCibaSite): Promise<string> {
  const { json } = await site.client.ask()
  await site.asked.at(-1)?.approve(answerOf(site))
  return String(json['auth_req_id'])
}

const outcomeOf = (site: FapiCibaSite, reply: { readonly status: number; readonly json: Record<string, unknown> }) => [
  reply.status,
  reply.json['error'],
  site.lastReason(),
]

describe('a client of the profile fapi2 (FAPI-CIBA §5.2.2)', () => {
  it.each(['dpop', 'mtls'] as const)('gets tokens that are bound by %s, and no others', async (binding) => {
    const site = await startFapiCibaServer(binding)
    const authReqId = await approved(site)

    const bare = await site.client.poll(authReqId, {}, {})
    const bound = await site.client.poll(authReqId)

    expect(bare.status).toBe(400)
    expect(bound.json).toMatchObject({ token_type: binding === 'dpop' ? 'DPoP' : 'Bearer', scope: 'openid profile' })
    const userinfo = (headers: Record<string, string>) =>
      site.send({
        path: '/userinfo',
        headers: { authorization: `Bearer ${String(bound.json['access_token'])}`, ...headers },
      })
    const stranger = issueCertificate({ subject: [commonName('F')] })
    const own = await userinfo({ ...certificateHeader(site.client.certificate), 'client-verify': 'SUCCESS' })
    const foreign = await userinfo({ ...certificateHeader(stranger), 'client-verify': 'SUCCESS' })
    expect([own.status, foreign.status]).toEqual([binding === 'mtls' ? 200 : 401, 401])
  })

  it('authenticates with its certificate, and is refused with the client_id of another client (RFC 8705 §2)', async () => {
    const site = await startFapiCibaServer('tls_client_auth')
    const authReqId = await approved(site)

    const asOther = { client_id: 'G' }
    const refused = [
      await site.client.ask(undefined, {}, asOther),
      await site.client.poll(authReqId, {}, undefined, asOther),
    ]

    expect(refused.map(({ status, json }) => [status, json['error']])).toEqual([
      [401, 'invalid_client'],
      [401, 'invalid_client'],
    ])
    expect(site.asked).toHaveLength(1)
    expect((await site.client.poll(authReqId)).status).toBe(200)
  })

  it('refreshes its tokens, which another client cannot (RFC 6749 §6, §10.4)', async () => {
    const site = await startFapiCibaServer('tls_client_auth')
    const { json } = await site.client.ask(await site.client.request({ scope: 'openid offline_access' }))
    await site.asked.at(-1)?.approve(answerOf(site))
    const { refresh_token } = (await site.client.poll(json['auth_req_id'])).json as { readonly refresh_token: string }
    const refreshed = { grant_type: 'refresh_token', auth_req_id: undefined, refresh_token }

    const foreign = await site.other.poll('', {}, undefined, refreshed)
    const own = await site.client.poll('', {}, undefined, refreshed)

    expect([foreign.status, foreign.json['error']]).toEqual([400, 'invalid_grant'])
    expect(own.json).toMatchObject({ token_type: 'Bearer', scope: 'openid offline_access' })
  })

  it('may name its scope values in another order', async () => {
    const site = await startFapiCibaServer()

    const reply = await site.client.ask(await site.client.request({ scope: 'profile openid' }))

    expect(reply.status).toBe(200)
    expect(reply.json).toMatchObject({ expires_in: expect.any(Number) as number, interval: 5 })
  })

  it('may repeat its client_id beside its assertion', async () => {
    const site = await startFapiCibaServer()

    expect((await site.client.ask(undefined, {}, { client_id: 'F' })).status).toBe(200)
  })
})

describe('a request of a client of the profile fapi2 is refused', () => {
  it('without a signature (FAPI-CIBA §5.2.2)', async () => {
    const site = await startFapiCibaServer()

    const plain = { request: undefined, scope: 'openid', login_hint: 'U1', binding_message: '1234' }
    const reply = await site.client.ask(undefined, {}, plain)

    expect(outcomeOf(site, reply)).toEqual([400, 'invalid_request', 'request_object_required'])
    expect(site.asked).toEqual([])
  })

  it('without a message or details (FAPI-CIBA §5.2.2)', async () => {
    const site = await startFapiCibaServer()

    const reply = await site.client.ask(await site.client.request({ binding_message: undefined }))

    expect([reply.status, reply.json['error']]).toEqual([400, 'invalid_binding_message'])
    expect(site.asked).toEqual([])
  })

  it.each([
    ['with two hints', { id_token_hint: 'x' }, 'user_hint_count'],
    ['for another audience', { aud: 'https://other.test' }, 'request_object_audience'],
    ['with the issuer of another client', { iss: 'G' }, 'request_object_issuer'],
    ['without iss', { iss: undefined }, 'request_object_issuer'],
    ['without aud', { aud: undefined }, 'request_object_audience'],
    ['without exp', { exp: undefined }, 'request_object_expiry_missing'],
    ['without iat', { iat: undefined }, 'request_object_member'],
    ['without nbf', { nbf: undefined }, 'request_object_start_missing'],
    ['without jti', { jti: undefined }, 'request_object_member'],
    ['with a requested_expiry of zero', { requested_expiry: 0 }, 'requested_expiry_invalid'],
    ['with a negative requested_expiry', { requested_expiry: -1 }, 'requested_expiry_invalid'],
  ] as const)('%s (CIBA Core 1.0 §7.1, §7.1.1)', async (_how, claims, reason) => {
    const site = await startFapiCibaServer()

    const reply = await site.client.ask(await site.client.request(claims))

    expect(outcomeOf(site, reply)).toEqual([400, 'invalid_request', reason])
    expect(site.asked).toEqual([])
  })

  it.each([
    ['that has expired', { exp: -600 }, 'request_object_expired'],
    ['whose nbf is 70 minutes ago', { nbf: -4200 }, 'request_object_old'],
    ['whose nbf is in ten minutes', { nbf: 600 }, 'request_object_early'],
    ['whose exp is in 70 minutes', { exp: 4200 }, 'request_object_long_lived'],
  ] as const)('%s (FAPI-CIBA §5.2.2)', async (_how, offsets, reason) => {
    const site = await startFapiCibaServer()
    const claims = Object.fromEntries(Object.entries(offsets).map(([name, by]) => [name, site.clock.now() + by]))

    const reply = await site.client.ask(await site.client.request(claims))

    expect(outcomeOf(site, reply)).toEqual([400, 'invalid_request', reason])
  })

  it.each([
    ['with the algorithm none', { alg: 'none' }, () => signNothing()],
    ['with RS256', { alg: 'RS256' }, signRs256],
    ['with a signature of zeros', {}, () => signNothing(64)],
    ['by another client', { kid: 'G' }, (site: FapiCibaSite) => signEs256(site.other.privateKey)],
  ] as const)('when it is signed %s (FAPI-CIBA §5.2.2, RFC 8725 §3.1)', async (_how, header, sign) => {
    const site = await startFapiCibaServer()

    const request = await site.client.request({}, { header, sign: await sign(site) })

    expect(outcomeOf(site, await site.client.ask(request))).toEqual([
      400,
      'invalid_request',
      'request_object_unverified',
    ])
  })

  it('when its client_id is that of another client (RFC 7523 §3)', async () => {
    const site = await startFapiCibaServer()

    const reply = await site.client.ask(undefined, {}, { client_id: 'G' })

    expect([reply.status, reply.json['error']]).toEqual([401, 'invalid_client'])
    expect(site.asked).toEqual([])
  })
})

describe.each(['/bc-authorize', '/token'] as const)('client authentication at %s (RFC 7523 §3)', (path) => {
  const send = async (site: FapiCibaSite, assertion: Parameters<FapiCibaSite['client']['ask']>[1]) => {
    const authReqId = await approved(site)
    return path === '/token' ? site.client.poll(authReqId, assertion) : site.client.ask(undefined, assertion)
  }

  it.each([
    ['no assertion', () => null],
    ['RS256', async () => ({ header: { alg: 'RS256' }, sign: await signRs256() })],
    ['the key of another client', (site) => ({ sign: signEs256(site.other.privateKey) })],
    ['the iss of another client', () => ({ claims: { iss: 'G' } })],
    ['the sub of another client', () => ({ claims: { sub: 'G' } })],
    ['another audience', () => ({ claims: { aud: 'https://other.test' } })],
    ['an expired assertion', (site) => ({ claims: { exp: site.clock.now() - 600 } })],
    ['an assertion without exp', () => ({ claims: { exp: undefined } })],
    ['an assertion without jti', () => ({ claims: { jti: undefined } })],
  ] satisfies readonly (readonly [
    string,
    (
      site: FapiCibaSite,
    ) => Parameters<FapiCibaSite['client']['ask']>[1] | Promise<Parameters<FapiCibaSite['client']['ask']>[1]>,
  ])[])('is refused with %s', async (_what, change) => {
    const site = await startFapiCibaServer()

    const reply = await send(site, await change(site))

    expect([reply.status, reply.json['error']]).toEqual([401, 'invalid_client'])
  })

  it('is accepted with the issuer as audience', async () => {
    const site = await startFapiCibaServer()

    expect((await send(site, { claims: { aud: site.issuer } })).status).toBe(200)
  })
})

describe('a poll of a client of the profile fapi2 (CIBA Core 1.0 §11)', () => {
  it('does not get the tokens of another client, whose request stays usable', async () => {
    const site = await startFapiCibaServer()
    const authReqId = await approved(site)

    const foreign = await site.other.poll(authReqId)

    expect([foreign.status, foreign.json['error']]).toEqual([400, 'invalid_grant'])
    expect((await site.client.poll(authReqId)).status).toBe(200)
  })

  it('is refused with an auth_req_id that was never issued, and after the tokens were fetched', async () => {
    const site = await startFapiCibaServer()
    const authReqId = await approved(site)
    await site.client.poll(authReqId)

    const replies = [await site.client.poll('x'.repeat(43)), await site.client.poll(authReqId)]

    expect(replies.map(({ status, json }) => [status, json['error']])).toEqual([
      [400, 'invalid_grant'],
      [400, 'invalid_grant'],
    ])
  })

  it('is told that the user denied the request, and that it has expired', async () => {
    const site = await startFapiCibaServer()
    const denied = (await site.client.ask()).json['auth_req_id']
    await site.asked.at(-1)?.deny()
    const expired = (await site.client.ask(await site.client.request({ requested_expiry: '30' }))).json
    const deniedReply = await site.client.poll(denied)
    site.clock.advance(31)

    const expiredReply = await site.client.poll(expired['auth_req_id'])

    expect(expired['expires_in']).toBe(30)
    expect([deniedReply.json['error'], expiredReply.json['error']]).toEqual(['access_denied', 'expired_token'])
  })
})
