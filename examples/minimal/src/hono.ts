import { serve } from '@hono/node-server'
import { toFetchHandler } from '@mintmark/adapter-fetch'
import { Hono } from 'hono'
import { issuer, server } from './authorization-server.ts'

const mintmark = toFetchHandler(server)

const app = new Hono()
app.use(async (context, next) => (await mintmark(context.req.raw)) ?? next())
app.get('/hello', (context) => context.text('Hello from Hono'))

serve({ fetch: app.fetch, port: Number(new URL(issuer).port || 3000) })
