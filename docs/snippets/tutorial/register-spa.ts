import { registerClient } from '@mintmark/core'
import { storage } from './authorization-server.ts'

const page = process.env['SPA_URL'] ?? 'http://localhost:4200'
const api = process.env['API_URL'] ?? 'http://localhost:4100'

// The page is a public client: code in a browser cannot keep a secret.
await registerClient(
  {
    clientId: 'my-page',
    clientName: 'My orders',
    tokenEndpointAuthMethod: 'none',
    redirectUris: [`${page}/`],
    postLogoutRedirectUris: [`${page}/`],
    grantTypes: ['authorization_code'],
    scopes: ['openid', 'profile', 'orders.read'],
  },
  { storage },
)

// The API needs credentials to read which tokens were revoked. It gets no tokens of its own.
const { clientSecret } = await registerClient(
  { clientId: 'orders-api', clientName: 'Orders API', grantTypes: [], servedAudiences: [api] },
  { storage },
)
console.log(`API_SECRET=${clientSecret}`)
