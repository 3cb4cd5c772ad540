import * as client from 'openid-client'
import { describe, expect, it } from 'vitest'

import { answerOf, cibaScope, startCibaServer } from '../support/ciba-world.ts'
import { approve, startDeviceServer } from '../support/device-world.ts'
import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'

const configure = (site: ServerUnderTest, id: string, authentication: client.ClientAuth) =>
  client.discovery(new URL(site.issuer), id, undefined, authentication, { execute: [client.allowInsecureRequests] })

/** The library waits for the interval before each poll. The user has decided before the first one here. */
const atOnce = { interval: 0 }

describe('openid-client on a device (RFC 8628)', () => {
  it('gets tokens after the user approved its code', async () => {
    const site = await startDeviceServer({}, startLoopbackServer)
    const config = await configure(site, 'V', client.None())

    const started = await client.initiateDeviceAuthorization(config, { scope: 'openid profile offline_access' })
    await approve(site, started.user_code)
    const tokens = await client.pollDeviceAuthorizationGrant(config, { ...started, ...atOnce })

    expect(tokens.claims()).toMatchObject({ sub: 'U1', aud: 'V' })
    expect(tokens.refresh_token).toBeDefined()
  })
})

describe('openid-client as a client that names the user (CIBA Core 1.0)', () => {
  it('gets tokens after the user approved its request', async () => {
    const site = await startCibaServer({}, {}, startLoopbackServer)
    const config = await configure(site, 'C', client.ClientSecretBasic(site.secrets['C'] ?? ''))

    const parameters = { scope: cibaScope, login_hint: 'U1', binding_message: 'Order 1234' }
    const started = await client.initiateBackchannelAuthentication(config, parameters)
    await site.asked[0]?.approve(answerOf(site))
    const tokens = await client.pollBackchannelAuthenticationGrant(config, { ...started, ...atOnce })

    expect(tokens.claims()).toMatchObject({ sub: 'U1', aud: 'C', amr: ['hwk'] })
    expect(tokens.refresh_token).toBeDefined()
  })

  it('is told that the user denied it, and that nobody is known by its hint', async () => {
    const site = await startCibaServer({}, {}, startLoopbackServer)
    const config = await configure(site, 'C', client.ClientSecretBasic(site.secrets['C'] ?? ''))

    const unknown = client.initiateBackchannelAuthentication(config, { scope: 'openid', login_hint: 'nobody' })
    await expect(unknown).rejects.toMatchObject({ error: 'unknown_user_id' })
    const started = await client.initiateBackchannelAuthentication(config, { scope: 'openid', login_hint: 'U1' })
    await site.asked[0]?.deny()
    const denied = client.pollBackchannelAuthenticationGrant(config, { ...started, ...atOnce })
    await expect(denied).rejects.toMatchObject({ error: 'access_denied' })
  })
})
