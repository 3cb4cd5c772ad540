import type { Server } from 'node:http'

import { toNodeEndpoint, toNodeHandler } from '@mintmark/adapter-node'
import Fastify, { type FastifyInstance } from 'fastify'

import type { Site } from '#site'

/** Creates your app. `trustedProxies` are those that report the browser's IP address. */
export function createApp(site: Site, { trustedProxies }: { readonly trustedProxies: string }): FastifyInstance {
  const services = toNodeHandler(site.health, ...site.services)
  const pages = new Map(Object.entries(site.pages).map(([path, page]) => [path, toNodeEndpoint(site.server, page)]))
  const app = Fastify({ trustProxy: trustedProxies })
  // A hook runs before Fastify parses the body.
  app.addHook('onRequest', async (request, reply) => {
    const { raw } = request
    Object.assign(raw, { ip: request.ip })
    const page = pages.get(request.url.split('?', 1)[0] ?? '')
    if ((await services(raw, reply.raw)) || (await page?.(raw, reply.raw)) === true) reply.hijack()
  })
  return app
}

/** Returns a server that does not listen yet. */
export async function toServer(app: FastifyInstance): Promise<Server> {
  await app.ready()
  return app.server
}
