import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createResourceServer, protectFetch } from '@mintmark/resource-server'
import { createProofKey, createTestIssuer } from '@mintmark/testkit'

void test('accepts a bound token only with a proof of its key', async () => {
  const issuer = createTestIssuer({ scopes: { sync: 'Synchronize' } })
  await issuer.addClient({
    clientId: 'cli',
    clientName: 'Command line',
    tokenEndpointAuthMethod: 'none',
    redirectUris: ['https://cli.example/callback'],
    grantTypes: ['authorization_code', 'refresh_token'],
    scopes: ['openid', 'sync', 'offline_access'],
  })
  const { refresh_token = '' } = await issuer.signIn({ subject: 'ann', clientId: 'cli' })
  const key = await createProofKey()
  const response = await issuer.fetch('https://issuer.test/token', {
    method: 'POST',
    headers: { DPoP: await key.proof({ method: 'POST', url: 'https://issuer.test/token' }) },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token, client_id: 'cli' }),
  })
  const { access_token: accessToken } = (await response.json()) as { readonly access_token: string }
  const api = createResourceServer({
    issuer: issuer.issuer,
    fetch: issuer.fetch,
    audience: issuer.issuer,
    dpop: { origin: 'https://api.example.com' },
  })
  const handler = protectFetch(api).requireAnyToken(() => new Response('synchronized'))

  const url = 'https://api.example.com/changes'
  const proof = await key.proof({ method: 'GET', url, accessToken })
  const send = (headers: Record<string, string>) =>
    handler(new Request(url, { headers: { authorization: `DPoP ${accessToken}`, ...headers } }))

  assert.equal((await send({ DPoP: proof })).status, 200)
  assert.equal((await send({})).status, 401)
})
