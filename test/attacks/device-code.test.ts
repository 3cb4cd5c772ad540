import { registerClient } from '@mintmark/core'
import { clientId, sessionId, userId } from '@mintmark/storage-interface'
import { describe, expect, it } from 'vitest'

import { approve, ask, askForCodes, deviceGrant, poll, startDeviceServer } from '../support/device-world.ts'
import { createProofKey, writeProof, type ProofKey } from '../support/dpop.ts'
import { expectJsonRefusal } from '../support/expect-refusal.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { postForm } from '../support/flow.ts'
import type { ServerUnderTest } from '../support/server-under-test.ts'

const badRequest = (error: string) => ({ status: 400, error })

describe('a device authorization request (RFC 8628 §3.1)', () => {
  it.each([
    ['of a client without the grant type', { client_id: 'P' }, 'unauthorized_client', 'grant_type_not_registered'],
    ['for scope values that it is not registered for', { scope: 'api.read' }, 'invalid_scope', 'scope_not_allowed'],
    ['without a scope value', { scope: undefined }, 'invalid_scope', 'scope_missing'],
    ['for an unknown resource', { resource: 'https://other.test' }, 'invalid_target', 'resource_unknown'],
    ['with a request object', { request: 'e30.e30.x' }, 'invalid_request', 'device_parameter_unsupported'],
    ['with a request_uri', { request_uri: 'urn:x:y' }, 'invalid_request', 'device_parameter_unsupported'],
  ] as const)('is refused %s, and stores nothing', async (_, change, error, reason) => {
    const site = await startDeviceServer()

    await expectJsonRefusal(site, badRequest(error), { send: () => ask(site, change), reason })
  })

  it('is answered without being cached, and treats an empty parameter as absent (RFC 8628 §3.1, §3.2)', async () => {
    const site = await startDeviceServer()

    const reply = await ask(site, { request: '', resource: '' })

    expect([reply.status, reply.header('cache-control')]).toEqual([200, 'no-store'])
    const again = await ask(site, { scope: '' })
    expect([again.status, again.json['error']]).toEqual([400, 'invalid_scope'])
  })

  it('is refused with a parameter twice, and stores nothing', async () => {
    const site = await startDeviceServer()
    const send = () => postForm(site, '/device/authorization', 'client_id=V&scope=openid&scope=profile', {})

    await expectJsonRefusal(site, badRequest('invalid_request'), { send, reason: 'parameter_repeated' })
  })

  it('of a confidential client is refused without its credentials, and stores nothing', async () => {
    const site = await startDeviceServer()
    const { storage, clock } = site
    const device = { grantTypes: [deviceGrant], scopes: ['openid'], redirectUris: [], clientName: 'Box' }
    await registerClient({ ...device, clientId: 'box' }, { storage, clock: clock.now })
    const send = () => ask(site, { client_id: 'box', scope: 'openid' })

    await expectJsonRefusal(
      site,
      { status: 401, error: 'invalid_client' },
      { send, reason: 'client_authentication_method' },
    )
  })

  it('is refused for an unknown client', async () => {
    const site = await startDeviceServer()
    const send = () => ask(site, { client_id: 'nobody' })

    await expectJsonRefusal(site, { status: 401, error: 'invalid_client' }, { send, reason: 'client_unknown' })
  })

  it('is limited for each client, and the limit of one client does not stop another (RFC 8628 §5.6)', async () => {
    const limiter = { counted: new Map<string, number>() }
    const site = await startDeviceServer({
      rateLimits: {
        deviceRequests: {
          consume: (key) => {
            const count = (limiter.counted.get(key) ?? 0) + 1
            limiter.counted.set(key, count)
            return Promise.resolve(count <= 2 ? { allowed: true } : { allowed: false, retryAfter: 60 as never })
          },
        },
      },
    })
    for (let asked = 0; asked < 2; asked += 1) expect((await ask(site)).status).toBe(200)

    const answer = { status: 429, error: 'temporarily_unavailable' }
    await expectJsonRefusal(site, answer, { send: () => ask(site), reason: 'device_requests_throttled' })
    expect((await ask(site, { client_id: 'W' })).status).toBe(200)
  })

  it('stores neither the device code nor the user code (RFC 8628 §5.1)', async () => {
    const site = await startDeviceServer()
    const { deviceCode, userCode } = await askForCodes(site)

    expect(site.dump()).not.toContain(deviceCode)
    expect(site.dump()).not.toContain(userCode)
    expect(site.dump()).not.toContain(userCode.replace('-', ''))
  })
})

describe('a poll (RFC 8628 §3.5)', () => {
  it.each([
    ['without a device code', undefined, 'invalid_request', 'device_code_missing'],
    ['of an invented device code', 'x'.repeat(43), 'invalid_grant', 'device_code_unknown'],
    ['of a code in another case', 'upper', 'invalid_grant', 'device_code_unknown'],
    ['of a code with one character less', 'cut', 'invalid_grant', 'device_code_unknown'],
  ] as const)('is refused %s', async (_, presented, error, reason) => {
    const site = await startDeviceServer()
    const { deviceCode, userCode } = await askForCodes(site)
    await approve(site, userCode)
    const forged = { upper: deviceCode.toUpperCase(), cut: deviceCode.slice(1) }
    const sent = presented === 'upper' || presented === 'cut' ? forged[presented] : presented

    const send = () => poll(site, deviceCode, { device_code: sent })
    await expectJsonRefusal(site, badRequest(error), { send, reason })
    expect((await poll(site, deviceCode)).status).toBe(200)
  })

  it('of another client is refused and leaves the code usable', async () => {
    const site = await startDeviceServer()
    const { deviceCode, userCode } = await askForCodes(site)
    await approve(site, userCode)

    const send = () => poll(site, deviceCode, { client_id: 'W' })
    await expectJsonRefusal(site, badRequest('invalid_grant'), { send, reason: 'device_code_unknown' })
    expect((await poll(site, deviceCode)).status).toBe(200)
  })

  it('that is repeated too early is told to slow down once, and is heard when it waits (RFC 8628 §3.5)', async () => {
    const site = await startDeviceServer()
    const { deviceCode } = await askForCodes(site)
    const errorAfter = async (seconds: number) => {
      site.clock.advance(seconds)
      return (await poll(site, deviceCode)).json['error']
    }

    expect([await errorAfter(0), await errorAfter(1)]).toEqual(['authorization_pending', 'slow_down'])
    const later = []
    for (let polls = 0; polls < 5; polls += 1) later.push(await errorAfter(10))
    expect(later).toEqual(Array.from({ length: 5 }, () => 'authorization_pending'))
  })

  it('gets the tokens at once after the approval, whatever the interval', async () => {
    const site = await startDeviceServer()
    const { deviceCode, userCode } = await askForCodes(site)
    await poll(site, deviceCode)
    await approve(site, userCode)

    expect((await poll(site, deviceCode)).status).toBe(200)
  })

  it('is told for ten minutes that the code has expired', async () => {
    const site = await startDeviceServer()
    const { deviceCode } = await askForCodes(site)
    const errorAfter = async (seconds: number) => {
      site.clock.advance(seconds)
      return (await poll(site, deviceCode)).json['error']
    }

    expect([await errorAfter(600), await errorAfter(500), await errorAfter(100)]).toEqual([
      'expired_token',
      'expired_token',
      'invalid_grant',
    ])
  })

  it('of a code that was redeemed revokes the tokens that were issued for it (RFC 6749 §4.1.2)', async () => {
    const site = await startDeviceServer()
    const { deviceCode, userCode } = await askForCodes(site)
    await approve(site, userCode)
    const { json } = await poll(site, deviceCode)
    const send = () => poll(site, deviceCode)

    await expectJsonRefusal(site, badRequest('invalid_grant'), {
      send,
      reason: 'device_code_replayed',
      storage: 'may change',
    })
    expect(await site.server.accessToken(String(json['access_token']))).toBeUndefined()
  })

  it.each([
    [
      'the user is deactivated',
      ({ storage, clock }: ServerUnderTest) => storage.users.deactivate(userId('U1'), clock.now()),
      'grant_inactive',
    ],
    [
      'the user is deactivated and reactivated',
      async ({ storage, clock }: ServerUnderTest) => {
        await storage.users.deactivate(userId('U1'), clock.now())
        await storage.users.reactivate(userId('U1'), clock.now())
      },
      'grant_inactive',
    ],
    [
      'the grant is revoked',
      async ({ storage, clock }: ServerUnderTest) => {
        const grant = await storage.grants.findUnrevoked(userId('U1'), clientId('V'))
        if (grant !== undefined) await storage.grants.revoke(grant.grantId, clock.now())
      },
      'grant_inactive',
    ],
    [
      'the session of the approval ends',
      ({ server }: ServerUnderTest) => server.endSession(sessionId('sid-U1')),
      'session_ended',
    ],
  ] as const)('gets no tokens when %s after the approval', async (_, revoke, reason) => {
    const site = await startDeviceServer()
    const { deviceCode, userCode } = await askForCodes(site, { scope: 'openid profile' })
    await approve(site, userCode)
    await revoke(site)

    const send = () => poll(site, deviceCode)
    const refused = await send()
    expect(refused.json['error']).toBe('access_denied')
    expect(site.lastReason()).toBe(reason)
  })

  it('gets no tokens when the client is disabled after the approval', async () => {
    const site = await startDeviceServer()
    const { deviceCode, userCode } = await askForCodes(site)
    await approve(site, userCode)
    await changeClient(site.storage, clientId('V'), { disabledAt: site.clock.now() })

    const answer = { status: 401, error: 'invalid_client' }
    await expectJsonRefusal(site, answer, { send: () => poll(site, deviceCode), reason: 'client_disabled' })
  })
})

describe('a device code that was asked for with a DPoP proof (RFC 9449 §5)', () => {
  const proofFor = (site: ServerUnderTest, key: ProofKey, path: string) =>
    writeProof(site, key, { claims: { htu: `${site.issuer}${path}` } })

  it('is redeemed only with the same key', async () => {
    const site = await startDeviceServer()
    const [key, other] = [await createProofKey(), await createProofKey()]
    const asked = await ask(site, {}, { dpop: await proofFor(site, key, '/device/authorization') })
    const deviceCode = String(asked.json['device_code'])
    await approve(site, String(asked.json['user_code']))
    const pollWith = async (proofKey: ProofKey) =>
      poll(site, deviceCode, {}, { dpop: await proofFor(site, proofKey, '/token') })

    const stolen = await pollWith(other)
    expect([stolen.json['error'], site.lastReason()]).toEqual(['invalid_grant', 'device_code_key_mismatch'])
    const bare = await poll(site, deviceCode)
    expect([bare.json['error'], site.lastReason()]).toEqual(['invalid_dpop_proof', 'dpop_proof_missing'])
    const tokens = await pollWith(key)
    expect(tokens.json).toMatchObject({ token_type: 'DPoP' })
  })
})
