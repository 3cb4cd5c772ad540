import { createResourceServer, protectFetch } from '@mintmark/resource-server'

const api = createResourceServer({
  issuer: 'https://id.example.com',
  audience: 'https://api.example.com',
})
const guard = protectFetch(api)

const orders = guard.require(['orders.read'], (_request, token) => Response.json({ ordersOf: token.subject }))

export const worker = {
  fetch: async (request: Request): Promise<Response> => guard.metadata(request) ?? orders(request),
}
