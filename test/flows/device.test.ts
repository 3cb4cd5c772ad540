import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { devicePage } from '@mintmark/pages'
import { userId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { decodeJwt } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'

import {
  answer,
  approve,
  ask,
  askForCodes,
  confirm,
  deviceGrant,
  openCode,
  openConsent,
  poll,
  startDeviceServer,
} from '../support/device-world.ts'
import { startServer } from '../support/server-under-test.ts'
import { refresh } from '../support/token-calls.ts'

describe('a device without a browser (RFC 8628)', () => {
  it('gets tokens for the user who approved its code, and refreshes them', async () => {
    const site = await startDeviceServer()
    const asked = await ask(site)
    const { device_code: deviceCode, user_code: userCode } = asked.json

    expect(asked.status).toBe(200)
    expect(asked.json).toEqual({
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: 'https://as.test/device',
      verification_uri_complete: `https://as.test/device?user_code=${String(userCode)}`,
      expires_in: 600,
      interval: 5,
    })
    expect(deviceCode).toMatch(/^[\w-]{43}$/)
    expect(userCode).toMatch(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/)
    expect((await poll(site, String(deviceCode))).json['error']).toBe('authorization_pending')

    const done = await approve(site, String(userCode))
    expect(done.text).toContain('Device connected')
    const tokens = await poll(site, String(deviceCode))

    expect(tokens.status).toBe(200)
    expect(tokens.json['scope']).toBe('openid profile offline_access')
    expect(decodeJwt(String(tokens.json['id_token']))).toMatchObject({ sub: 'U1', aud: 'V', name: 'Ann Lee' })
    const refreshed = await refresh(site, String(tokens.json['refresh_token']), { client_id: 'V' }, 'P')
    expect(refreshed.status).toBe(200)
    const types = site.events.map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['request.asked', 'request.decided', 'tokens.issued']))
  })

  it('asks for a scope value that it is not registered for, and the event names what was left out', async () => {
    const site = await startDeviceServer()
    await ask(site, { scope: 'openid email' })

    expect(site.events.find(({ type }) => type === 'request.asked')).toMatchObject({
      clientId: 'V',
      scopes: ['openid'],
      omittedScopes: ['email'],
    })
  })

  it('gets only the scope values that the user granted', async () => {
    const site = await startDeviceServer()
    const { deviceCode, userCode } = await askForCodes(site)

    await answer(site, await openConsent(site, userCode), 'scope=openid')

    expect((await poll(site, deviceCode)).json).toMatchObject({ scope: 'openid' })
  })

  it('is told that the user denied its request, and how long it has to wait between polls', async () => {
    const site = await startDeviceServer()
    const { deviceCode, userCode } = await askForCodes(site)
    const errors = [await poll(site, deviceCode), await poll(site, deviceCode)].map(({ json }) => json['error'])

    const denied = await answer(site, await openConsent(site, userCode), 'deny')

    expect(errors).toEqual(['authorization_pending', 'slow_down'])
    expect(denied.text).toContain('Nothing was connected')
    expect((await poll(site, deviceCode)).json['error']).toBe('access_denied')
  })

  it('is told that a user stopped at the question whether the device is theirs', async () => {
    const site = await startDeviceServer()
    const { deviceCode, userCode } = await askForCodes(site)

    const stopped = await confirm(site, await openCode(site, userCode), { decision: 'stop' })

    expect(stopped.text).toContain('Nothing was connected')
    expect((await poll(site, deviceCode)).json['error']).toBe('access_denied')
  })

  it('shows the client, the scope values and the place of the request before the user signs in', async () => {
    const site = await startDeviceServer({
      device: { renderPage: devicePage, location: () => 'Lyon <France>' },
    })
    const { userCode } = await askForCodes(site)

    const { text, status } = await openCode(site, userCode.toLowerCase().replace('-', ' '), '')

    expect(status).toBe(200)
    for (const shown of ['Television', userCode, 'Lyon &#60;France&#62;', 'See your name and profile'])
      expect(text.replaceAll('&lt;', '&#60;').replaceAll('&gt;', '&#62;')).toContain(shown)
  })

  it('is the same device to the consent page, which has no redirect URI', async () => {
    const site = await startDeviceServer()
    const { userCode } = await askForCodes(site)
    const started = await openConsent(site, userCode)

    const page = await site.send({ path: started.path, headers: { cookie: started.cookie } })

    expect(started.path).toMatch(/^\/consent\?/)
    expect(page.json).toMatchObject({ kind: 'consent', client: { clientName: 'Television' } })
    expect(page.json).not.toHaveProperty('redirectUri')
  })

  it('loses its tokens when the user is deactivated', async () => {
    const site = await startDeviceServer()
    const { deviceCode, userCode } = await askForCodes(site)
    await approve(site, userCode)
    const tokens = await poll(site, deviceCode)

    await site.storage.users.deactivate(userId('U1'), site.clock.now())

    const refreshed = await refresh(site, String(tokens.json['refresh_token']), { client_id: 'V' }, 'P')
    expect(refreshed.json['error']).toBe('invalid_grant')
  })
})

describe('the option device', () => {
  it('is off by default: no endpoint, no grant type, nothing in discovery', async () => {
    const site = await startServer()
    onTestFinished(() => site.close())

    expect((await ask(site)).status).toBe(404)
    expect((await poll(site, 'x', { client_id: 'P' })).json['error']).toBe('unsupported_grant_type')
    const { json } = await site.send({ path: '/.well-known/openid-configuration' })
    expect(json).not.toHaveProperty('device_authorization_endpoint')
    expect(json['grant_types_supported']).not.toContain(deviceGrant)
  })

  it('is published in discovery (RFC 8628 §4)', async () => {
    const site = await startDeviceServer()

    const { json } = await site.send({ path: '/.well-known/openid-configuration' })

    expect(json['device_authorization_endpoint']).toBe('https://as.test/device/authorization')
    expect(json['grant_types_supported']).toContain(deviceGrant)
  })

  it('is refused at start when the storage has no decoupledRequests, or a page is missing', () => {
    const { decoupledRequests: _, ...storage } = createMemoryStorage({ issuer: 'https://as.test' })
    const keys = createStoredKeys({ storage, sealingKey: Buffer.alloc(32, 7).toString('base64url') })
    const options = { issuer: 'https://as.test', storage, keys, signedIn: () => Promise.resolve(undefined) }

    expect(() => createAuthorizationServer({ ...options, device: { renderPage: devicePage } })).toThrow(
      'device needs a storage with `decoupledRequests`',
    )
    const misspelled: object = { device: { render: devicePage } }
    expect(() => createAuthorizationServer({ ...options, ...misspelled })).toThrow('renderPage')
  })
})
