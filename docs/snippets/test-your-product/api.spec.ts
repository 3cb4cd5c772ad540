import assert from 'node:assert/strict'
import { before, test } from 'node:test'

import { createTestIssuer } from '@mintmark/testkit'
import { createApi } from './api.ts'

const issuer = createTestIssuer({
  scopes: { 'orders.read': 'See your orders' },
  resources: { 'https://api.example.com': { scopes: ['orders.read'] } },
})
const api = createApi(issuer)
const get = (token: string) =>
  api(new Request('https://api.example.com/orders', { headers: { authorization: `Bearer ${token}` } }))

before(() =>
  issuer.addClient({
    clientId: 'app',
    clientName: 'App',
    tokenEndpointAuthMethod: 'none',
    redirectUris: ['https://app.example/callback'],
    scopes: ['openid', 'orders.read'],
  }),
)
const signIn = (subject: string, scope = 'openid orders.read') =>
  issuer.signIn({ subject, clientId: 'app', scope, resource: 'https://api.example.com' })

void test('returns the orders of the user', async () => {
  const { access_token } = await signIn('ann')
  assert.deepEqual(await (await get(access_token)).json(), { ordersOf: 'ann' })
})

void test('refuses a token without the scope', async () => {
  const { access_token } = await signIn('ann', 'openid')
  assert.equal((await get(access_token)).status, 403)
})

void test('refuses a token for another API', async () => {
  const { access_token } = await issuer.signIn({ subject: 'ann', clientId: 'app', scope: 'openid' })
  assert.equal((await get(access_token)).status, 401)
})
