import { toExpress } from '@mintmark/adapter-express'
import { createScimServer, logScimEvents } from '@mintmark/scim'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import express from 'express'

// Use the issuer and the storage of your authorization server, because both servers share the users.
export const issuer = process.env['ISSUER_URL'] ?? 'http://localhost:3000'
export const storage = await createSqlStorage({
  issuer,
  dialect: openSqliteDialect(':memory:', { migrate: 'on-open' }),
})

export const scim = createScimServer({
  issuer,
  storage,
  onEvent: logScimEvents(console),
})

export const app = express().use(toExpress(scim)) // with your authorization server: toExpress(server, scim)
