import { createResourceServer, protectExpress } from '@mintmark/resource-server'
import express from 'express'

const api = createResourceServer({
  issuer: 'https://id.example.com',
  audience: 'https://api.example.com',
  scopes: ['orders.read', 'orders.write'],
})
const guard = protectExpress(api)

export const app = express()
  .use(guard.metadata)
  .get('/orders', guard.require('orders.read'), (request, response) => {
    const { subject, clientId } = guard.token(request)
    response.json({ ordersOf: subject, for: clientId })
  })
