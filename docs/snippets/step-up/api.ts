import { createResourceServer, protectExpress } from '@mintmark/resource-server'
import express from 'express'

const guard = protectExpress(
  createResourceServer({
    issuer: 'https://id.example.com',
    audience: 'https://api.example.com',
    acrRanks: ['pwd', 'mfa'],
  }),
)

export const app = express().post(
  '/payments',
  guard.requireAuthentication({ acrValues: ['mfa'], maxAge: 300 }, 'payments.write'),
  (_request, response) => {
    response.json({ paid: true })
  },
)
