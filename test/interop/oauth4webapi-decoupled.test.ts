import * as oauth from 'oauth4webapi'
import { describe, expect, it } from 'vitest'

import { answerOf, cibaScope, startCibaServer } from '../support/ciba-world.ts'
import { approve, startDeviceServer } from '../support/device-world.ts'
import { startLoopbackServer } from '../support/server-under-test.ts'
import { discover, insecure } from './oauth4webapi-server.ts'

describe('oauth4webapi on a device (RFC 8628)', () => {
  it('is told to wait, and gets tokens after the user approved its code', async () => {
    const site = await startDeviceServer({}, startLoopbackServer)
    const [as, client, none] = [await discover(site), { client_id: 'V' }, oauth.None()]
    const scope = { scope: 'openid profile offline_access' }

    const asked = await oauth.deviceAuthorizationRequest(as, client, none, scope, insecure)
    const started = await oauth.processDeviceAuthorizationResponse(as, client, asked)
    const poll = async () =>
      oauth.processDeviceCodeResponse(
        as,
        client,
        await oauth.deviceCodeGrantRequest(as, client, none, started.device_code, insecure),
      )

    await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending', status: 400 })
    await approve(site, started.user_code)
    const tokens = await poll()
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ sub: 'U1', aud: 'V' })
  })
})

describe('oauth4webapi as a client that names the user (CIBA Core 1.0)', () => {
  it('is told to wait, and gets tokens after the user approved its request', async () => {
    const site = await startCibaServer({}, {}, startLoopbackServer)
    const as = await discover(site)
    const [client, secret] = [{ client_id: 'C' }, oauth.ClientSecretBasic(site.secrets['C'] ?? '')]
    const parameters = { scope: cibaScope, login_hint: 'U1' }

    const asked = await oauth.backchannelAuthenticationRequest(as, client, secret, parameters, insecure)
    const started = await oauth.processBackchannelAuthenticationResponse(as, client, asked)
    const poll = async () =>
      oauth.processBackchannelAuthenticationGrantResponse(
        as,
        client,
        await oauth.backchannelAuthenticationGrantRequest(as, client, secret, started.auth_req_id, insecure),
      )

    await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending', status: 400 })
    await site.asked[0]?.approve(answerOf(site))
    const tokens = await poll()
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ sub: 'U1', aud: 'C' })
  })
})
