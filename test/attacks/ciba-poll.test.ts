import { clientId, sessionId, userId } from '@mintmark/storage-interface'
import { describe, expect, it } from 'vitest'

import { answerOf, ask, askForId, poll, startCibaServer, type CibaSite } from '../support/ciba-world.ts'
import { createProofKey, writeProof, type ProofKey } from '../support/dpop.ts'
import { expectJsonRefusal } from '../support/expect-refusal.ts'
import { changeClient } from '../support/fixture-clients.ts'

const badRequest = (error: string) => ({ status: 400, error })

describe('a decision about a backchannel request', () => {
  it('counts only of the user whom the client named (CIBA Core 1.0 §7.2)', async () => {
    const site = await startCibaServer()
    const { authReqId, pending } = await askForId(site)
    await site.storage.users.insert({ userId: userId('U4'), claims: {}, createdAt: site.clock.now() })

    await expect(pending.approve(answerOf(site, { subject: 'U4' }))).rejects.toThrow('about another user')

    expect((await poll(site, authReqId)).json['error']).toBe('authorization_pending')
    expect(await pending.approve(answerOf(site))).toBe('approved')
  })

  it('counts once, and not after the request has expired', async () => {
    const site = await startCibaServer()
    const first = await askForId(site)
    const second = await askForId(site, { requested_expiry: '30' })

    const decided = await Promise.all([first.pending.approve(answerOf(site)), first.pending.deny()])
    site.clock.advance(30)

    expect(decided.filter((outcome) => outcome === 'ended').length).toBe(1)
    expect(await second.pending.approve(answerOf(site))).toBe('ended')
    expect((await poll(site, second.authReqId)).json['error']).toBe('expired_token')
  })

  it('is not made with a session that has ended, or a sign-in from the future', async () => {
    const site = await startCibaServer()
    const { authReqId, pending } = await askForId(site)
    await site.server.endSession('phone-U1')

    expect(await pending.approve(answerOf(site))).toBe('sign_in_required')
    expect(await pending.approve(answerOf(site, { authTime: site.clock.now() + 120 }))).toBe('sign_in_required')
    expect((await poll(site, authReqId)).json['error']).toBe('authorization_pending')
    expect(await pending.approve(answerOf(site, { sessionId: 'phone-2' }))).toBe('approved')
  })

  it('needs a sign-in that is new enough for the client, and strong enough if the host ranks it (RFC 9470)', async () => {
    const site = await startCibaServer({ acrRanks: ['pin', 'face'] })
    await changeClient(site.storage, clientId('E'), { defaultMaxAge: 60 })
    const old = { authTime: site.clock.now() - 100 }
    const aged = await askForId(site, {}, { as: 'E' })
    const strong = await askForId(site, { acr_values: 'face' })

    expect(await aged.pending.approve(answerOf(site, old))).toBe('sign_in_required')
    expect(await strong.pending.approve(answerOf(site, { ...old, acr: 'pin' }))).toBe('sign_in_required')
    expect(await strong.pending.approve(answerOf(site, { ...old, acr: 'face' }))).toBe('approved')
    expect(await aged.pending.approve(answerOf(site))).toBe('approved')
  })

  it('is not remembered: the same request is asked again', async () => {
    const site = await startCibaServer()
    const first = await askForId(site)
    await first.pending.approve(answerOf(site))
    await poll(site, first.authReqId)

    const second = await askForId(site)

    expect((await poll(site, second.authReqId)).json['error']).toBe('authorization_pending')
  })
})

describe('a poll with an auth_req_id (CIBA Core 1.0 §11)', () => {
  it.each([
    ['without one', undefined, 'invalid_request', 'auth_req_id_missing'],
    ['of an invented one', 'x'.repeat(43), 'invalid_grant', 'auth_req_id_unknown'],
  ] as const)('is refused %s', async (_, presented, error, reason) => {
    const site = await startCibaServer()

    await expectJsonRefusal(site, badRequest(error), { send: () => poll(site, presented), reason })
  })

  it('of another client is refused and leaves the request usable', async () => {
    const site = await startCibaServer()
    const { authReqId, pending } = await askForId(site)
    await pending.approve(answerOf(site))

    const send = () => poll(site, authReqId, {}, { as: 'E' })
    await expectJsonRefusal(site, badRequest('invalid_grant'), { send, reason: 'auth_req_id_unknown' })
    expect((await poll(site, authReqId)).status).toBe(200)
  })

  it('is no device code, and a device code is no auth_req_id', async () => {
    const site = await startCibaServer()
    const { authReqId } = await askForId(site)
    await changeClient(site.storage, clientId('C'), { grantTypes: ['urn:ietf:params:oauth:grant-type:device_code'] })

    const send = () => poll(site, authReqId, { grant_type: 'urn:ietf:params:oauth:grant-type:device_code' })
    expect((await send()).json['error']).toBe('unsupported_grant_type')
  })

  it('is told to slow down once if it comes too early, and is heard when it waits', async () => {
    const site = await startCibaServer()
    const { authReqId } = await askForId(site)
    const errorAfter = async (seconds: number) => {
      site.clock.advance(seconds)
      return (await poll(site, authReqId)).json['error']
    }

    expect([await errorAfter(0), await errorAfter(1)]).toEqual(['authorization_pending', 'slow_down'])
    const later = []
    for (let polls = 0; polls < 5; polls += 1) later.push(await errorAfter(10))
    expect(later).toEqual(Array.from({ length: 5 }, () => 'authorization_pending'))
  })

  it('is told for ten minutes that the request has expired', async () => {
    const site = await startCibaServer()
    const { authReqId } = await askForId(site, { requested_expiry: '30' })
    const errorAfter = async (seconds: number) => {
      site.clock.advance(seconds)
      return (await poll(site, authReqId)).json['error']
    }

    expect([await errorAfter(30), await errorAfter(599), await errorAfter(1)]).toEqual([
      'expired_token',
      'expired_token',
      'invalid_grant',
    ])
  })

  it.each([
    ['again', {}],
    ['again for something that was not granted', { resource: 'https://api.test' }],
  ] as const)('that redeems a request %s revokes what was issued for it (RFC 6749 §4.1.2)', async (_, change) => {
    const site = await startCibaServer()
    const { authReqId, pending } = await askForId(site)
    await pending.approve(answerOf(site))
    const { json } = await poll(site, authReqId)

    const send = () => poll(site, authReqId, change)
    const refusal = { send, reason: 'auth_req_id_replayed', storage: 'may change' } as const
    await expectJsonRefusal(site, badRequest('invalid_grant'), refusal)
    expect(await site.server.accessToken(String(json['access_token']))).toBeUndefined()
  })

  it('that redeems a request again revokes it even after the session has ended', async () => {
    const site = await startCibaServer()
    const { authReqId, pending } = await askForId(site, { scope: 'openid profile' })
    await pending.approve(answerOf(site))
    await poll(site, authReqId)
    await site.server.endSession('phone-U1')

    expect((await poll(site, authReqId)).json['error']).toBe('invalid_grant')
    expect(site.lastReason()).toBe('auth_req_id_replayed')
  })

  it.each([
    ['is deactivated', (site: CibaSite) => site.storage.users.deactivate(userId('U1'), site.clock.now())],
    [
      'is deactivated and reactivated',
      async (site: CibaSite) => {
        await site.storage.users.deactivate(userId('U1'), site.clock.now())
        await site.storage.users.reactivate(userId('U1'), site.clock.now())
      },
    ],
  ] as const)('is denied when the user %s before they decide, and nobody can approve', async (_, revoke) => {
    const site = await startCibaServer()
    const { authReqId, pending } = await askForId(site)

    await revoke(site)

    const refusal = { send: () => poll(site, authReqId), reason: 'grant_inactive' } as const
    await expectJsonRefusal(site, badRequest('access_denied'), refusal)
    expect(await pending.approve(answerOf(site))).toBe('ended')
    await expectJsonRefusal(site, badRequest('access_denied'), refusal)
  })

  it.each([
    [
      'the user is deactivated',
      (site: CibaSite) => site.storage.users.deactivate(userId('U1'), site.clock.now()),
      'grant_inactive',
    ],
    [
      'the grant is revoked',
      async (site: CibaSite) => {
        const grant = await site.storage.grants.findUnrevoked(userId('U1'), clientId('C'))
        if (grant !== undefined) await site.storage.grants.revoke(grant.grantId, site.clock.now())
      },
      'grant_inactive',
    ],
    ['the session ends', (site: CibaSite) => site.server.endSession(sessionId('phone-U1')), 'session_ended'],
  ] as const)('gets no tokens when %s after the approval', async (_, revoke, reason) => {
    const site = await startCibaServer()
    const { authReqId, pending } = await askForId(site, { scope: 'openid profile' })
    await pending.approve(answerOf(site))

    await revoke(site)

    await expectJsonRefusal(site, badRequest('access_denied'), { send: () => poll(site, authReqId), reason })
  })

  it('gets no tokens when the client is disabled, and the host cannot find its requests', async () => {
    const site = await startCibaServer()
    const { authReqId, pending } = await askForId(site)
    await changeClient(site.storage, clientId('C'), { disabledAt: site.clock.now() })

    const answer = { status: 401, error: 'invalid_client' }
    await expectJsonRefusal(site, answer, { send: () => poll(site, authReqId), reason: 'client_disabled' })
    expect(await site.server.approval(pending.id, 'U1')).toBeUndefined()
  })
})

describe('a request that was made with a DPoP proof (RFC 9449 §5)', () => {
  it('is redeemed only with the same key', async () => {
    const site = await startCibaServer()
    const proofFor = (key: ProofKey, path: string) =>
      writeProof(site, key, { claims: { htu: `${site.issuer}${path}` } })
    const [key, other] = [await createProofKey(), await createProofKey()]
    const { json } = await ask(site, {}, { dpop: await proofFor(key, '/bc-authorize') })
    const authReqId = String(json['auth_req_id'])
    await site.asked[0]?.approve(answerOf(site))
    const pollWith = async (proofKey: ProofKey) =>
      poll(site, authReqId, {}, { dpop: await proofFor(proofKey, '/token') })

    const stolen = await pollWith(other)
    expect([stolen.json['error'], site.lastReason()]).toEqual(['invalid_grant', 'auth_req_id_key_mismatch'])
    const bare = await poll(site, authReqId)
    expect([bare.json['error'], site.lastReason()]).toEqual(['invalid_dpop_proof', 'dpop_proof_missing'])
    expect((await pollWith(key)).json).toMatchObject({ token_type: 'DPoP' })
  })
})
