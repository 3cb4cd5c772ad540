import { createResourceServer, protectExpress } from '@mintmark/resource-server'
import express from 'express'

const guard = protectExpress(
  createResourceServer({ issuer: 'https://id.example.com', audience: 'https://api.example.com' }),
)

export const app = express()
  .get('/reports', guard.requireClaims({ roles: ['admin', 'auditor'] }, 'orders.read'), (_request, response) => {
    response.json({ reports: [] })
  })
  .get(
    '/customers/:customer/orders',
    guard.requireClaims({ organization: true, roles: ['owner'] }, 'orders.read'),
    (request, response) => {
      // The token is for one organization, but the path may name another one.
      const { customer } = request.params
      if (guard.token(request).organizationId === customer) response.json({ ordersOf: customer })
      else response.sendStatus(403)
    },
  )
