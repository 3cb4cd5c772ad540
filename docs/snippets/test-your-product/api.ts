import { createResourceServer, protectFetch } from '@mintmark/resource-server'

/** Creates your API as in production; a test passes another issuer. */
export function createApi({ issuer, fetch }: { readonly issuer: string; readonly fetch?: typeof globalThis.fetch }) {
  const api = createResourceServer({ issuer, audience: 'https://api.example.com', ...(fetch && { fetch }) })
  return protectFetch(api).require(['orders.read'], (_request, { subject }) => Response.json({ ordersOf: subject }))
}
