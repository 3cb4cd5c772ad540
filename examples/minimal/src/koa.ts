import { toNodeHandler } from '@mintmark/adapter-node'
import Koa from 'koa'
import { issuer, server } from './authorization-server.ts'

const mintmark = toNodeHandler(server)

const app = new Koa()
app.use(async (context, next) => {
  context.respond = !(await mintmark(context.req, context.res))
  if (context.respond) await next()
})
app.use((context) => {
  context.body = 'Hello from Koa'
})

app.listen(new URL(issuer).port || 3000)
