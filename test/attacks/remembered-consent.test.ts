import { clientId } from '@mintmark/storage-interface'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { answerInteraction, authorize, type Change } from '../support/flow.ts'
import { expectServing, refusedByRedirect } from '../support/refused.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

const consent = 'scope=openid&scope=profile'
const loopback = 'http://127.0.0.1/cb'

let under: ServerUnderTest
beforeAll(async () => {
  under = await startServer()
  await expectServing(under)
  await changeClient(under.storage, clientId('N'), {
    redirectUris: [loopback, 'com.example.app:/cb', 'https://app.test/native'],
  })
  await answerInteraction(under, await authorize(under, { client_id: 'N', redirect_uri: loopback }), consent)
})
afterAll(() => under.close())

/** Addresses that any program on the device can listen on, so a public client's name proves nothing there. */
const claimable = [loopback, 'http://127.0.0.1:51000/cb', 'com.example.app:/cb']

describe('another program on the device can impersonate a native app (RFC 8252 §8.6)', () => {
  it.each(claimable)('asks again for consent given earlier when the redirect URI is %s', async (redirectUri) => {
    const asked = await authorize(under, { client_id: 'N', redirect_uri: redirectUri })

    expect(asked.location.pathname).toBe('/consent')
    expect((await answerInteraction(under, asked, consent)).location.searchParams.get('code')).not.toBeNull()
  })

  it.each(claimable)('prompt=none gets no code for %s', async (redirectUri) => {
    const change: Change = { client_id: 'N', redirect_uri: redirectUri, prompt: 'none' }

    const { origin, pathname } = new URL(redirectUri)

    await refusedByRedirect(
      under,
      { error: 'consent_required', at: origin + pathname },
      { send: () => authorize(under, change), reason: 'consent_required' },
    )
  })

  it('an https redirect URI proves the app, so the consent is remembered (RFC 8252 §7.2)', async () => {
    const reply = await authorize(under, { client_id: 'N', redirect_uri: 'https://app.test/native' })

    expect(reply.location.searchParams.get('code')).not.toBeNull()
  })
})
