import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createTestIssuer } from '@mintmark/testkit'

/** Stands for the part of your product that keeps users signed in. */
async function refresh(fetch: typeof globalThis.fetch, form: Readonly<Record<string, string>>): Promise<Response> {
  const send = () => fetch('https://issuer.test/token', { method: 'POST', body: new URLSearchParams(form) })
  return send().catch(send) // retries when the response is lost
}

void test('keeps the user signed in when the response to a refresh is lost', async () => {
  const issuer = createTestIssuer()
  await issuer.addClient({
    clientId: 'app',
    clientName: 'App',
    tokenEndpointAuthMethod: 'none',
    redirectUris: ['https://app.example/callback'],
    grantTypes: ['authorization_code', 'refresh_token'],
    scopes: ['openid', 'offline_access'],
  })
  const { refresh_token = '' } = await issuer.signIn({ subject: 'ann', clientId: 'app' })

  issuer.failNext('dropped_answer')
  const response = await refresh(issuer.fetch, { grant_type: 'refresh_token', refresh_token, client_id: 'app' })

  assert.equal(response.status, 200)
})
