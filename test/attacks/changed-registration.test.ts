import { updateOwnRegistration } from '@mintmark/core/internal'
import { clientId } from '@mintmark/storage-interface'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { authorize, obtainCode, obtainTokens, postForm, redeem, basic } from '../support/flow.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'

let site: ServerUnderTest
beforeEach(async () => {
  site = await startServer()
  await changeClient(site.storage, clientId('A'), {
    origin: 'registration',
    selfManagement: { statementIssuer: null },
  })
})
afterEach(() => site.close())

const updateRegistration = async (changed: Parameters<typeof updateOwnRegistration>[1]) => {
  const updated = await updateOwnRegistration({ clientId: 'A' }, changed, { storage: site.storage })
  expect(updated.outcome).toBe('updated')
}

describe('a client that changes its own registration after users consented to it (RFC 7592 §2.2)', () => {
  it.each([
    ['name', { clientName: 'Your Bank' }],
    ['redirect host', { redirectUris: ['https://app.test/cb', 'https://other.test/cb'] }],
    ['redirect scheme', { redirectUris: ['https://app.test/cb', 'com.example.app:/cb'] }],
    ['keys', { jwksUri: 'https://other.test/jwks' }],
    ['authentication method', { tokenEndpointAuthMethod: 'client_secret_post' as const }],
  ])('needs new consent after a change of its %s (RFC 7591 §5)', async (_member, changed) => {
    await obtainCode(site)

    await updateRegistration(changed)

    const asked = await authorize(site)
    expect(asked.location.pathname).toBe('/consent')
    await obtainCode(site)
    expect((await authorize(site)).location.searchParams.has('code')).toBe(true)
  })

  it('needs no new consent when a redirect path, its policy page or its signing algorithm changes', async () => {
    await obtainCode(site)

    await updateRegistration({
      redirectUris: ['https://app.test/cb', 'https://app.test/cb2'],
      policyUri: 'https://app.test/privacy',
      idTokenSignedResponseAlg: 'ES256',
    })

    expect((await authorize(site)).location.searchParams.has('code')).toBe(true)
  })

  it('gets no tokens for a code that was issued before the change (RFC 7591 §5)', async () => {
    const code = await obtainCode(site)

    await updateRegistration({ clientName: 'Your Bank' })

    const refused = await redeem(site, code)
    expect([refused.status, refused.json['error']]).toEqual([400, 'invalid_grant'])
    expect(site.lastReason()).toBe('client_document_changed')
  })

  it('can still use its refresh tokens', async () => {
    const tokens = await obtainTokens(site)

    await updateRegistration({ clientName: 'Your Bank' })

    const form = `grant_type=refresh_token&refresh_token=${tokens['refresh_token']}`
    const renewed = await postForm(site, '/token', form, { authorization: basic('A', site.clients.A.secret) })
    expect(renewed.status).toBe(200)
  })
})
