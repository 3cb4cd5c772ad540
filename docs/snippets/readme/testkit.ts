import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createResourceServer } from '@mintmark/resource-server'
import { createTestIssuer } from '@mintmark/testkit'

await test('accepts a token of the issuer', async () => {
  const issuer = createTestIssuer({ resources: { 'https://api.example.com': { scopes: [] } } })
  await issuer.addClient({
    clientId: 'app',
    clientName: 'App',
    tokenEndpointAuthMethod: 'none',
    redirectUris: ['https://app.example/callback'],
    scopes: ['openid'],
    resources: ['https://api.example.com'],
  })
  const api = createResourceServer({
    issuer: issuer.issuer,
    fetch: issuer.fetch,
    audience: 'https://api.example.com',
  })

  const { access_token } = await issuer.signIn({
    subject: 'ann',
    clientId: 'app',
    resource: 'https://api.example.com',
  })

  const { subject } = await api.requireAnyToken().admit([`Bearer ${access_token}`])
  assert.equal(subject, 'ann')
})
