import { toNodeHandler } from '@mintmark/adapter-node'
import Fastify from 'fastify'
import { issuer, server } from './authorization-server.ts'

const mintmark = toNodeHandler(server)

const app = Fastify()
app.addHook('onRequest', async (request, reply) => {
  if (await mintmark(request.raw, reply.raw)) reply.hijack()
})
app.get('/hello', () => 'Hello from Fastify')

await app.listen({ port: Number(new URL(issuer).port || 3000) })
