import type { Server } from 'node:http'

import { createAdaptorServer, type HttpBindings } from '@hono/node-server'
import { toFetchEndpoint, toFetchHandler } from '@mintmark/adapter-fetch'
import { Hono } from 'hono'

import { clientAddress } from '#client-address'
import type { Site } from '#site'

type App = Hono<{ Bindings: HttpBindings }>

/** Creates your app. `trustedProxies` are those that report the browser's IP address. */
export function createApp(site: Site, { trustedProxies }: { readonly trustedProxies: string }): App {
  const addressOf = clientAddress(trustedProxies)
  const services = toFetchHandler(site.health, ...site.services)
  const app: App = new Hono()
  // Before anything reads the body.
  app.use(async ({ req, env }, next) => {
    Object.assign(req.raw, { ip: addressOf(env.incoming) })
    return (await services(req.raw)) ?? next()
  })
  for (const [path, page] of Object.entries(site.pages)) {
    const endpoint = toFetchEndpoint(site.server, page)
    app.all(path, async ({ req }, next) => (await endpoint(req.raw)) ?? next())
  }
  return app
}

/** Returns a server that does not listen yet. */
export const toServer = async (app: App): Promise<Server> => createAdaptorServer(app) as Server
