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
  // Everything is in memory, so that there is nothing to set up. In production: @mintmark/storage-sql and a kept key.
  storage: createMemoryStorage({ issuer }),
  sealingKey: randomBytes(32).toString('base64url'),
  onEvent: logEvents(console),
})
serve({ fetch: app.fetch, port, hostname: 'localhost' }, () => {
  console.log(`
  The MCP server is at       ${resource}
  Sign in as                 ann / example
  A client without a metadata document uses the client_id  mcp-tool

  Ctrl-C stops it. What happens appears below.
`)
})
