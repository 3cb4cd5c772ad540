import { updateClient } from '@mintmark/core'
import { clientId } from '@mintmark/storage-interface'
import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'

import {
  answerOf,
  ask,
  askForId,
  askSigned,
  type CibaSite,
  poll,
  signRequest,
  startCibaServer,
} from '../support/ciba-world.ts'
import { expectJsonRefusal } from '../support/expect-refusal.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { obtainTokens, type Change } from '../support/flow.ts'
import { aPayment, authorizationDetails } from '../support/payment-details.ts'

const deep: unknown = JSON.parse('['.repeat(2000) + ']'.repeat(2000))
const badRequest = (error: string) => ({ status: 400, error })

describe('a backchannel authentication request (CIBA Core 1.0 §7.1)', () => {
  it.each([
    ['without a hint', { login_hint: undefined }, 'invalid_request', 'user_hint_count'],
    ['with two hints', { login_hint_token: 'x' }, 'invalid_request', 'user_hint_count'],
    ['with three hints', { login_hint_token: 'x', id_token_hint: 'y' }, 'invalid_request', 'user_hint_count'],
    ['about a user who does not exist', { login_hint: 'nobody' }, 'unknown_user_id', 'hinted_user_unknown'],
    ['about a deactivated user', { login_hint: 'U2' }, 'unknown_user_id', 'hinted_user_inactive'],
    ['about a removed user', { login_hint: 'U3' }, 'unknown_user_id', 'hinted_user_unknown'],
    ['without openid', { scope: 'profile' }, 'invalid_request', 'openid_missing'],
    ['without a scope', { scope: undefined }, 'invalid_scope', 'scope_missing'],
    ['for scope values of others', { scope: 'api.read' }, 'invalid_scope', 'scope_not_allowed'],
    ['for an unknown resource', { resource: 'https://other.test' }, 'invalid_target', 'resource_unknown'],
    ['with an expiry of 0', { requested_expiry: '0' }, 'invalid_request', 'requested_expiry_invalid'],
    ['with a negative expiry', { requested_expiry: '-1' }, 'invalid_request', 'requested_expiry_invalid'],
    ['with half a second', { requested_expiry: '1.5' }, 'invalid_request', 'requested_expiry_invalid'],
    ['with a word as expiry', { requested_expiry: 'abc' }, 'invalid_request', 'requested_expiry_invalid'],
    ['with a long message', { binding_message: 'x'.repeat(65) }, 'invalid_binding_message', 'binding_message_invalid'],
    ['with two lines', { binding_message: 'Pay\n1 EUR' }, 'invalid_binding_message', 'binding_message_invalid'],
    ['with hidden text', { binding_message: 'Pay \u202E1 EUR' }, 'invalid_binding_message', 'binding_message_invalid'],
    ['with only spaces', { binding_message: '   ' }, 'invalid_binding_message', 'binding_message_invalid'],
    ['with a huge hint', { login_hint: 'x'.repeat(1025) }, 'invalid_request', 'parameter_too_long'],
    [
      'that is signed by a client without an algorithm',
      { request: 'a.b.c' },
      'invalid_request',
      'signed_request_unregistered',
    ],
  ] as const)('is refused %s, stores nothing and asks nobody', async (_, change: Change, error, reason) => {
    const site = await startCibaServer()

    await expectJsonRefusal(site, badRequest(error), { send: () => ask(site, change), reason })
    expect(site.asked).toEqual([])
  })

  it('is refused for an expired login_hint_token, and only for a token', async () => {
    const site = await startCibaServer({}, { findUser: () => Promise.resolve('expired') })

    const change = { login_hint: undefined, login_hint_token: 'old' }
    const send = () => ask(site, change)
    await expectJsonRefusal(site, badRequest('expired_login_hint_token'), { send, reason: 'login_hint_token_expired' })
    await expectJsonRefusal(site, badRequest('unknown_user_id'), {
      send: () => ask(site),
      reason: 'hinted_user_unknown',
    })
  })

  it('keeps messages in any script, and caps the expiry', async () => {
    const site = await startCibaServer()

    const { json } = await ask(site, { binding_message: '1234 👍 确认付款', requested_expiry: '1000000000' })

    expect(json['expires_in']).toBe(600)
    expect(site.asked[0]?.bindingMessage).toBe('1234 👍 确认付款')
  })

  it('is not changed by parameters of an authorization request (CIBA Core 1.0 §7.1)', async () => {
    const site = await startCibaServer()
    const others = { response_type: 'token', redirect_uri: 'https://evil.test/', prompt: 'none', state: 'x' }

    const reply = await ask(site, others)

    expect(reply.status).toBe(200)
    expect(Object.keys(reply.json).toSorted()).toEqual(['auth_req_id', 'expires_in', 'interval'])
    expect(site.asked).toHaveLength(1)
  })

  it('is refused without credentials, with wrong ones, and for a client without the grant type', async () => {
    const site = await startCibaServer()
    const unauthorized = { status: 401, error: 'invalid_client' }

    const send =
      (headers: Record<string, string>, change: Change = {}) =>
      () =>
        ask(site, change, headers)
    await expectJsonRefusal(site, unauthorized, {
      send: send({ authorization: '' }),
      reason: 'client_authentication_missing',
    })
    const secret = `Basic ${btoa('C:wrong')}`
    await expectJsonRefusal(site, unauthorized, {
      send: send({ authorization: secret }),
      reason: 'client_credentials_wrong',
    })
    const page = send({ authorization: '' }, { client_id: 'P' })
    await expectJsonRefusal(site, badRequest('unauthorized_client'), {
      send: page,
      reason: 'grant_type_not_registered',
    })
  })

  it('is refused for a public client, however it came into storage', async () => {
    const site = await startCibaServer()
    await changeClient(site.storage, clientId('C'), { tokenEndpointAuthMethod: 'none', secrets: [] })

    const send = () => ask(site, { client_id: 'C' }, { authorization: '' })
    await expectJsonRefusal(site, badRequest('unauthorized_client'), { send, reason: 'client_public' })
  })

  it.each([
    ['is forged', (token: string) => `${token.slice(0, -4)}AAAA`],
    ['is not a token', () => 'x'],
  ] as const)('is refused when its id_token_hint %s', async (_, change) => {
    const site = await startCibaServer()
    const { id_token: idToken = '' } = await obtainTokens(site)

    const send = () => ask(site, { login_hint: undefined, id_token_hint: change(idToken) })
    await expectJsonRefusal(site, badRequest('invalid_request'), { send, reason: 'id_token_hint_invalid' })
  })

  it('is refused when its id_token_hint was issued to another client (CIBA Core 1.0 §7.1)', async () => {
    const site = await startCibaServer()
    const { id_token: idToken = '' } = await obtainTokens(site)

    const send = () => ask(site, { login_hint: undefined, id_token_hint: idToken })
    await expectJsonRefusal(site, badRequest('invalid_request'), { send, reason: 'id_token_hint_invalid' })
    expect(site.asked).toEqual([])
  })

  it('asks a user at most three times a minute for one client, and other clients are not affected', async () => {
    const site = await startCibaServer()
    for (let asked = 0; asked < 3; asked += 1) expect((await ask(site)).status).toBe(200)

    const answer = { status: 429, error: 'temporarily_unavailable' }
    await expectJsonRefusal(site, answer, { send: () => ask(site), reason: 'backchannel_requests_throttled' })
    expect((await ask(site, {}, { as: 'E' })).status).toBe(200)
    site.clock.advance(60)
    expect((await ask(site)).status).toBe(200)
    expect(site.asked.length).toBe(5)
  })

  it('ends, and the client learns it, when the host cannot ask the user', async () => {
    const cause = new Error('The push service is down.')
    const site = await startCibaServer({}, { askUser: () => Promise.reject(cause) })

    const reply = await ask(site)

    expect([reply.status, reply.json['error'], site.lastReason()]).toEqual([500, 'server_error', 'ask_failed'])
    expect(site.dump()).toContain('denied')
    expect(site.dump()).not.toContain('pending')
  })

  it('stores no auth_req_id', async () => {
    const site = await startCibaServer()
    const { authReqId } = await askForId(site)

    expect(site.dump()).not.toContain(authReqId)
  })
})

describe('a code that only the user knows (CIBA Core 1.0 §7.1)', () => {
  const codes = { verifyUserCode: (_: string, code: string | undefined) => Promise.resolve(code === '1357') }
  const start = async (): Promise<CibaSite> => {
    const site = await startCibaServer({}, codes)
    await updateClient({ clientId: 'C' }, { backchannelUserCodeParameter: true }, { storage: site.storage })
    return site
  }

  it.each([
    ['is missing', {}, 'missing_user_code', 'backchannel_user_code_missing'],
    ['is wrong', { user_code: '1111' }, 'invalid_user_code', 'backchannel_user_code_wrong'],
  ] as const)('protects the user when it %s', async (_, change, error, reason) => {
    const site = await start()

    await expectJsonRefusal(site, badRequest(error), { send: () => ask(site, change), reason })
    expect(site.asked).toEqual([])
  })

  it('is accepted, and is not asked of other clients', async () => {
    const site = await start()

    const replies = [await ask(site, { user_code: '1357' }), await ask(site, {}, { as: 'E' })]

    expect(replies.map(({ status }) => status)).toEqual([200, 200])
  })

  it('cannot be guessed: three attempts a minute', async () => {
    const site = await start()
    for (let guess = 0; guess < 3; guess += 1) await ask(site, { user_code: String(guess) })

    const answer = { status: 429, error: 'temporarily_unavailable' }
    const send = () => ask(site, { user_code: '1357' })
    await expectJsonRefusal(site, answer, { send, reason: 'backchannel_requests_throttled' })
  })
})

describe('a signed backchannel authentication request (CIBA Core 1.0 §7.1.1)', () => {
  it.each([
    ['without iss', { iss: undefined }, 'request_object_issuer'],
    ['of another client', { iss: 'C' }, 'request_object_issuer'],
    ['without aud', { aud: undefined }, 'request_object_audience'],
    ['for another server', { aud: 'https://other.test' }, 'request_object_audience'],
    ['without exp', { exp: undefined }, 'request_object_expiry_missing'],
    ['without nbf', { nbf: undefined }, 'request_object_start_missing'],
    ['without iat', { iat: undefined }, 'request_object_member'],
    ['without jti', { jti: undefined }, 'request_object_member'],
    ['with a subject, which could be a client assertion', { sub: 'D' }, 'request_object_member'],
    ['with a message that is a number', { binding_message: 1234 }, 'request_object_member'],
    ['with details that are nested deeply', { authorization_details: [deep] }, 'request_object_member'],
    ['without a hint', { login_hint: undefined }, 'user_hint_count'],
  ] as const)('is refused %s', async (_, claims, reason) => {
    const site = await startCibaServer()
    const request = await signRequest(site, { claims })

    await expectJsonRefusal(site, badRequest('invalid_request'), { send: () => askSigned(site, request), reason })
  })

  it.each([
    ['has expired', { exp: -1 }, 'request_object_expired'],
    ['is from the future', { nbf: 120 }, 'request_object_early'],
    ['is 70 minutes old', { nbf: -4200 }, 'request_object_old'],
    ['is valid for 70 minutes', { exp: 4200 }, 'request_object_long_lived'],
  ] as const)('is refused when it %s', async (_, offsets, reason) => {
    const site = await startCibaServer()
    const now = site.clock.now()
    const claims = Object.fromEntries(Object.entries(offsets).map(([name, offset]) => [name, now + offset]))
    const request = await signRequest(site, { claims })

    await expectJsonRefusal(site, badRequest('invalid_request'), { send: () => askSigned(site, request), reason })
  })

  it('is refused without a signature, with another algorithm, of another type, and when it is altered', async () => {
    const site = await startCibaServer()
    const signed = await signRequest(site)
    const hmac = await new SignJWT({ iss: 'D' }).setProtectedHeader({ alg: 'HS256' }).sign(new Uint8Array(32))
    const unsigned = `${btoa('{"alg":"none"}').replaceAll('=', '')}.${signed.split('.')[1] ?? ''}.`
    const forgeries = [
      hmac,
      unsigned,
      `${signed.slice(0, -4)}AAAA`,
      await signRequest(site, { header: { typ: 'at+jwt' } }),
    ]

    for (const request of forgeries) {
      const refusal = { send: () => askSigned(site, request), reason: 'request_object_unverified' } as const
      await expectJsonRefusal(site, badRequest('invalid_request'), refusal)
    }
  })

  it('is required of a client that is registered for it, whose parameters are in it alone', async () => {
    const site = await startCibaServer()

    const plain = { send: () => ask(site, {}, { as: 'D' }), reason: 'request_object_required' } as const
    await expectJsonRefusal(site, badRequest('invalid_request'), plain)
    const request = await signRequest(site)
    const added = {
      send: () => askSigned(site, request, { scope: 'openid' }),
      reason: 'parameter_outside_request',
    } as const
    await expectJsonRefusal(site, badRequest('invalid_request'), added)
    expect((await askSigned(site, request)).status).toBe(200)
  })
})

describe('a request with authorization details (RFC 9396)', () => {
  const startBank = async (): Promise<CibaSite> => {
    const site = await startCibaServer({ authorizationDetails })
    await updateClient({ clientId: 'C' }, { authorizationDetailsTypes: ['payment'] }, { storage: site.storage })
    return site
  }

  it('is decided for each entry, and the token has only what the user granted', async () => {
    const site = await startBank()
    const details = JSON.stringify([aPayment(), aPayment({ amount: '99.00' })])

    const { pending, authReqId } = await askForId(site, { authorization_details: details })

    expect(pending.details.map(({ id, title }) => [id, title])).toEqual([
      ['0', 'Pay 12.00 EUR'],
      ['1', 'Pay 99.00 EUR'],
    ])
    await expect(pending.approve(answerOf(site))).rejects.toMatchObject({ reason: 'details_undecided' })
    const grantedDetails = [{ id: '0', choice: 'savings' }]
    expect(await pending.approve(answerOf(site, { grantedDetails }))).toBe('approved')
    const { json } = await poll(site, authReqId)
    expect(json['authorization_details']).toEqual([aPayment({ account: 'savings' })])
  })

  it('is refused for a type that the client is not registered for', async () => {
    const site = await startBank()

    const details = JSON.stringify([{ type: 'reading', account: 'A' }])
    const refusal = {
      send: () => ask(site, { authorization_details: details }),
      reason: 'detail_type_not_registered',
    } as const
    await expectJsonRefusal(site, badRequest('invalid_authorization_details'), refusal)
  })
})
