import { toExpress } from '@mintmark/adapter-express'
import {
  adminScopes,
  createAdminServer,
  keepRequestLog,
  logAdminEvents,
  protectLastAdministrators,
} from '@mintmark/admin'
import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { createScimServer } from '@mintmark/scim'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import express from 'express'
import { z } from 'zod'

const issuer = process.env['ISSUER_URL'] ?? 'http://localhost:3000'
export const storage = await createSqlStorage({
  issuer,
  dialect: openSqliteDialect(process.env['DATABASE'] ?? 'mintmark.db', { migrate: 'on-open' }),
})
const keys = createStoredKeys({ storage, sealingKey: process.env['SEALING_KEY'] ?? '' })
const lastAdministrators = { protectedRoles: ['owner'] }

const server = createAuthorizationServer({
  issuer,
  storage,
  keys,
  signedIn: async () => undefined,
  scopes: adminScopes,
})

const scim = createScimServer({
  issuer,
  storage,
  mayChange: protectLastAdministrators({ ...lastAdministrators, storage }),
  deprovisioningLimit: { users: 500, percent: 20 },
  onRequest: keepRequestLog({ storage }),
})

const admin = createAdminServer({
  issuer,
  storage,
  keys,
  accessTokens: server,
  clientRules: server.clientRules,
  lastAdministrators,
  customFields: [{ name: 'employeeNumber', schema: z.string().max(20), claim: 'employee_number' }],
  onEvent: logAdminEvents(console),
})

export const app = express().use(toExpress(server, scim, admin))
