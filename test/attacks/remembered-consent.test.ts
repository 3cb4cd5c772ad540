import { clientId } from '@mintmark/storage-interface'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { answerInteraction, authorize, redeem, type Change } from '../support/flow.ts'
import { expectServing, expectErrorRedirect } from '../support/expect-refusal.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

const consent = 'scope=openid&scope=profile'
const loopback = 'http://127.0.0.1/cb'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startServer()
  await expectServing(site)
  await changeClient(site.storage, clientId('N'), {
    redirectUris: [loopback, 'com.example.app:/cb', 'https://app.test/native'],
  })
  await answerInteraction(site, await authorize(site, { client_id: 'N', redirect_uri: loopback }), consent)
})
afterAll(() => site.close())

/** Redirect URIs that any program on the device can receive, so that they do not prove which app is the client. */
const claimable = [loopback, 'http://127.0.0.1:51000/cb', 'com.example.app:/cb']

describe('another program on the device can impersonate a native app (RFC 8252 §8.6)', () => {
  it.each(claimable)('asks again for consent given earlier when the redirect URI is %s', async (redirectUri) => {
    const started = await authorize(site, { client_id: 'N', redirect_uri: redirectUri })

    expect(started.location.pathname).toBe('/consent')
    expect((await answerInteraction(site, started, consent)).location.searchParams.get('code')).not.toBeNull()
  })

  it.each(claimable)('prompt=none gets no code for %s', async (redirectUri) => {
    const change: Change = { client_id: 'N', redirect_uri: redirectUri, prompt: 'none' }

    const { origin, pathname } = new URL(redirectUri)

    await expectErrorRedirect(
      site,
      { error: 'consent_required', at: origin + pathname },
      { send: () => authorize(site, change), reason: 'consent_required' },
    )
  })

  it('an https redirect URI proves the app, so the consent is remembered (RFC 8252 §7.2)', async () => {
    const reply = await authorize(site, { client_id: 'N', redirect_uri: 'https://app.test/native' })

    expect(reply.location.searchParams.get('code')).not.toBeNull()
  })
})

describe('a decision on the consent page replaces earlier consent (OIDC Core §3.1.2.4)', () => {
  const scope = 'openid profile email'
  const allowAll = 'scope=openid&scope=profile&scope=email'
  const consentPage = () => authorize(site, { scope, prompt: 'consent' })
  const silently = () => authorize(site, { scope, prompt: 'none' })

  it.each([
    ['scopes that the user has unchecked', 'scope=openid'],
    ['scopes of a request that the user has denied', 'deny=1'],
  ])('the client does not get %s again without asking', async (_, decision) => {
    await answerInteraction(site, await consentPage(), allowAll)
    expect((await silently()).location.searchParams.get('code')).not.toBeNull()

    await answerInteraction(site, await consentPage(), decision)

    await expectErrorRedirect(site, { error: 'consent_required' }, { send: silently, reason: 'consent_required' })
    expect((await authorize(site, { scope })).location.pathname).toBe('/consent')
  })
})

describe('consent to one API is not consent to another one (RFC 8707 §3)', () => {
  const scope = 'openid api.read'
  const [notes, payments] = ['https://api.test', 'https://payments.test']
  const resources = {
    [notes]: { name: 'Notes', scopes: ['api.read'] },
    [payments]: { name: 'Payments', scopes: ['api.read'] },
    'https://other.test': { scopes: ['api.write'] },
  }

  it('asks for consent again, names the API, and issues a token only for it', async () => {
    const own = await startServer({ resources })
    onTestFinished(() => own.close())
    const ask = (change: Change) => authorize(own, { scope, ...change })
    await answerInteraction(own, await ask({ resource: notes }), 'scope=openid&scope=api.read')
    expect((await ask({ resource: notes, prompt: 'none' })).location.searchParams.get('code')).not.toBeNull()

    await expectErrorRedirect(
      own,
      { error: 'consent_required' },
      { send: () => ask({ resource: payments, prompt: 'none' }), reason: 'consent_required' },
    )
    const started = await ask({ resource: payments })
    const page = await own.send({
      path: started.location.pathname + started.location.search,
      headers: { cookie: started.cookies },
    })
    expect(page.json['resources']).toEqual([{ uri: payments, name: 'Payments', granted: false }])
    const allowed = await answerInteraction(own, started, 'scope=openid&scope=api.read')
    const code = allowed.location.searchParams.get('code') ?? ''
    const { access_token } = (await redeem(own, code)).json as { readonly access_token: string }

    expect(decodeJwt(access_token)).toMatchObject({ aud: payments, scope })
    const userinfo = await own.send({ path: '/userinfo', headers: { authorization: `Bearer ${access_token}` } })
    expect([userinfo.status, own.lastReason()]).toEqual([401, 'access_token_audience'])
  })

  it('an API that has none of the scopes of the client is refused (RFC 8707 §2)', async () => {
    const own = await startServer({ resources })
    onTestFinished(() => own.close())

    await expectErrorRedirect(
      own,
      { error: 'invalid_target' },
      { send: () => authorize(own, { scope, resource: 'https://other.test' }), reason: 'resource_not_registered' },
    )
  })
})
