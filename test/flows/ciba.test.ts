import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { userId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { decodeJwt } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'

import {
  answerOf,
  ask,
  askForId,
  askSigned,
  cibaGrant,
  findUser,
  poll,
  refresh,
  signRequest,
  startCibaServer,
} from '../support/ciba-world.ts'
import { startServer } from '../support/server-under-test.ts'

describe('a client that names a user (CIBA Core 1.0)', () => {
  it('gets tokens after the user approved its request, and refreshes them', async () => {
    const site = await startCibaServer()
    const asked = await ask(site)
    const authReqId = String(asked.json['auth_req_id'])

    expect(asked.status).toBe(200)
    expect(asked.json).toEqual({ auth_req_id: authReqId, expires_in: 600, interval: 5 })
    expect(authReqId).toMatch(/^[\w-]{43}$/)
    expect((await poll(site, authReqId)).json['error']).toBe('authorization_pending')

    expect(await site.asked[0]?.approve(answerOf(site))).toBe('approved')
    const tokens = await poll(site, authReqId)

    expect(tokens.status).toBe(200)
    expect(tokens.json['scope']).toBe('openid profile offline_access')
    const claims = decodeJwt(String(tokens.json['id_token']))
    expect(claims).toMatchObject({ sub: 'U1', aud: 'C', name: 'Ann Lee', amr: ['hwk'], auth_time: site.clock.now() })
    // CIBA Core 1.0 §10.3.1: only in the mode push.
    expect(claims).not.toHaveProperty('urn:openid:params:jwt:claim:auth_req_id')
    const refreshed = await refresh(site, String(tokens.json['refresh_token']))
    expect(refreshed.status).toBe(200)
    expect(site.events.filter(({ type }) => type.startsWith('request.'))).toMatchObject([
      { type: 'request.asked', kind: 'ciba', clientId: 'C', userId: 'U1' },
      { type: 'request.refused', reason: 'authorization_pending' },
      { type: 'request.decided', kind: 'ciba', decision: 'approved', clientId: 'C', userId: 'U1' },
    ])
  })

  it('asks for a scope value that it is not registered for, and the event names what was left out', async () => {
    const site = await startCibaServer()
    await askForId(site, { scope: 'openid email' })

    expect(site.events.find(({ type }) => type === 'request.asked')).toMatchObject({
      clientId: 'C',
      scopes: ['openid'],
      omittedScopes: ['email'],
    })
  })

  it('is described to the host, which finds the request again for its user alone', async () => {
    const site = await startCibaServer({}, { location: () => 'Lyon' })
    const { pending } = await askForId(site, { acr_values: 'gold silver' })

    expect(pending).toMatchObject({
      subject: 'U1',
      client: { clientId: 'C', clientName: 'Call centre' },
      scopes: [{ name: 'openid' }, { name: 'profile' }, { name: 'offline_access' }],
      details: [],
      organizations: [],
      bindingMessage: 'Order 1234',
      acrValues: ['gold', 'silver'],
      askedFrom: 'Lyon',
      askedAt: site.clock.now(),
      expiresAt: site.clock.now() + 600,
    })
    const found = await site.server.approval(pending.id, 'U1')
    expect(JSON.stringify(found)).toBe(JSON.stringify(pending))
    expect(await site.server.approval(pending.id, 'U2')).toBeUndefined()
    expect(await site.server.approval('x', 'U1')).toBeUndefined()
  })

  it('gets only the scope values that the user granted', async () => {
    const site = await startCibaServer()
    const { authReqId, pending } = await askForId(site)

    await pending.approve(answerOf(site, { grantedScopes: ['openid', 'email'] }))

    expect((await poll(site, authReqId)).json).toMatchObject({ scope: 'openid' })
  })

  it('is told that the user denied its request', async () => {
    const site = await startCibaServer()
    const { authReqId, pending } = await askForId(site)

    expect(await pending.deny()).toBe('denied')

    expect((await poll(site, authReqId)).json['error']).toBe('access_denied')
    expect([await pending.approve(answerOf(site)), await pending.deny()]).toEqual(['ended', 'ended'])
    expect(await site.server.approval(pending.id, 'U1')).toBeUndefined()
  })

  it('is denied if the user grants nothing', async () => {
    const site = await startCibaServer()
    const { authReqId, pending } = await askForId(site)

    expect(await pending.approve(answerOf(site, { grantedScopes: [] }))).toBe('denied')

    expect((await poll(site, authReqId)).json['error']).toBe('access_denied')
  })

  it('names the user by an ID token that it got before', async () => {
    const site = await startCibaServer()
    const first = await askForId(site)
    await first.pending.approve(answerOf(site))
    const { json } = await poll(site, first.authReqId)
    site.clock.advance(86_400)

    const { pending } = await askForId(site, { login_hint: undefined, id_token_hint: String(json['id_token']) })

    expect(pending.subject).toBe('U1')
  })

  it('signs its request, whose expiry may be a number or a string (CIBA Core 1.0 §7.1.1)', async () => {
    const site = await startCibaServer()

    const replies = [
      await askSigned(site, await signRequest(site, { claims: { requested_expiry: 60 } })),
      await askSigned(site, await signRequest(site, { claims: { requested_expiry: '60' } })),
    ]

    expect(replies.map(({ json }) => json['expires_in'])).toEqual([60, 60])
    expect(site.asked.map(({ bindingMessage }) => bindingMessage)).toEqual(['Order 1234', 'Order 1234'])
  })

  it('loses its tokens when the user is deactivated', async () => {
    const site = await startCibaServer()
    const { authReqId, pending } = await askForId(site)
    await pending.approve(answerOf(site))
    const tokens = await poll(site, authReqId)

    await site.storage.users.deactivate(userId('U1'), site.clock.now())

    const refreshed = await refresh(site, String(tokens.json['refresh_token']))
    expect(refreshed.json['error']).toBe('invalid_grant')
    expect(await site.server.accessToken(String(tokens.json['access_token']))).toBeUndefined()
  })
})

describe('the option ciba', () => {
  it('is off by default: no endpoint, no grant type, nothing in discovery', async () => {
    const site = await startServer()
    onTestFinished(() => site.close())

    const body = 'scope=openid&login_hint=U1'
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await site.send({ method: 'POST', path: '/bc-authorize', body, headers })).status).toBe(404)
    const { json } = await site.send({ path: '/.well-known/openid-configuration' })
    for (const name of Object.keys(json)) expect(name).not.toMatch(/backchannel_(?!logout)/)
    expect(json['grant_types_supported']).not.toContain(cibaGrant)
    await expect(site.server.approval('x', 'U1')).rejects.toThrow('the option ciba is off')
  })

  it('is published in discovery (CIBA Core 1.0 §4)', async () => {
    const site = await startCibaServer({}, { verifyUserCode: () => Promise.resolve(true) })

    const { json } = await site.send({ path: '/.well-known/openid-configuration' })

    expect(json).toMatchObject({
      backchannel_authentication_endpoint: 'https://as.test/bc-authorize',
      backchannel_user_code_parameter_supported: true,
    })
    expect(json['backchannel_authentication_request_signing_alg_values_supported']).toContain('ES256')
    expect(json['grant_types_supported']).toContain(cibaGrant)
  })

  it('is refused at start when the storage has no decoupledRequests, or a function is missing', () => {
    const { decoupledRequests: _, ...storage } = createMemoryStorage({ issuer: 'https://as.test' })
    const keys = createStoredKeys({ storage, sealingKey: Buffer.alloc(32, 7).toString('base64url') })
    const options = { issuer: 'https://as.test', storage, keys, signedIn: () => Promise.resolve(undefined) }

    const ciba = { findUser, askUser: () => Promise.resolve() }
    expect(() => createAuthorizationServer({ ...options, ciba })).toThrow(
      'ciba needs a storage with `decoupledRequests`',
    )
    const misspelled: object = { ciba: { findUser, ask: ciba.askUser } }
    expect(() => createAuthorizationServer({ ...options, ...misspelled })).toThrow('askUser')
  })
})
