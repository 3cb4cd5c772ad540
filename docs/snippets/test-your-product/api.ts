import { createResourceServer, protectFetch } from '@mintmark/resource-server'

/** Your API, as in production; a test gives it another issuer. */
export function createApi({ issuer, fetch }: { readonly issuer: string; readonly fetch?: typeof globalThis.fetch }) {
  const api = createResourceServer({ issuer, audience: 'https://api.example.com', ...(fetch && { fetch }) })
  return protectFetch(api).require(['orders.read'], (_request, { subject }) => Response.json({ ordersOf: subject }))
}
