import { createResourceServer, protectExpress } from '@mintmark/resource-server'
import express from 'express'

const self = process.env['API_URL'] ?? 'http://localhost:4100'
const page = process.env['SPA_URL'] ?? 'http://localhost:4200'

const guard = protectExpress(
  createResourceServer({
    issuer: process.env['ISSUER_URL'] ?? 'http://localhost:3000',
    audience: self,
    credentials: { clientId: 'orders-api', clientSecret: process.env['API_SECRET'] ?? '' },
    revocationFeed: {},
    onRefusal: ({ message }) => console.log('refused:', message),
  }),
)

const app = express()
// The page has another origin. Preflight requests have no token, so this comes before the guard.
app.use((request, response, next) => {
  response.set({ 'Access-Control-Allow-Origin': page, 'Access-Control-Allow-Headers': 'Authorization' })
  if (request.method === 'OPTIONS') response.sendStatus(204)
  else next()
})
app.get('/orders', guard.require('orders.read'), (request, response) => {
  response.json({ orders: ['42 apples'], of: guard.token(request).subject })
})
app.listen(new URL(self).port)
