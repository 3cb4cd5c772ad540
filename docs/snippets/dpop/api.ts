import { createResourceServer, protectFetch } from '@mintmark/resource-server'

const guard = protectFetch(
  createResourceServer({
    issuer: 'https://id.example.com',
    audience: 'https://api.example.com',
    // The address that clients use, even if the API is behind a proxy.
    dpop: { origin: 'https://api.example.com' },
  }),
)

export const orders = guard.require(['orders.read'], (_request, token) => Response.json({ for: token.subject }))
