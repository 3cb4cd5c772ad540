import { randomBytes } from 'node:crypto'

import { serve } from '@hono/node-server'
import { logEvents } from '@mintmark/core'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'

import { createApp } from './app.ts'

const port = Number(process.env['PORT'] ?? 3000)
const issuer = `http://localhost:${port}`
const resource = `${issuer}/mcp`

const app = await createApp({
  issuer,
  resource,
  // Everything is in memory, so there is nothing to set up. In production use @mintmark/storage-sql and a permanent key.
  storage: createMemoryStorage({ issuer }),
  sealingKey: randomBytes(32).toString('base64url'),
  onEvent: logEvents(console),
  onRegistration: (event) => console.info(event.type === 'registration.refused' ? event.description : event.type),
})
serve({ fetch: app.fetch, port, hostname: 'localhost' }, () => {
  console.log(`
  The MCP server is at       ${resource}
  Sign in as                 ann / example
  Clients register themselves, have a metadata document, or use the client_id  mcp-tool

  Ctrl-C stops it. Events are printed below.
`)
})
