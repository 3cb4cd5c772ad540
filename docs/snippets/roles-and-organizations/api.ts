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
      // The token is for one organization. The address may name another one.
      if (guard.token(request).organizationId !== request.params['customer']) return void response.sendStatus(403)
      response.json({ ordersOf: request.params['customer'] })
    },
  )
