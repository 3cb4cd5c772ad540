import { createServer, type Server } from 'node:http'

import { toExpress, toExpressEndpoint } from '@mintmark/adapter-express'
import express, { type Express } from 'express'

import type { Site } from '#site'

/** Creates your app. `trustedProxies` are those that report the browser's IP address. */
export function createApp(site: Site, { trustedProxies }: { readonly trustedProxies: string }): Express {
  const app = express().disable('x-powered-by')
  app.set('trust proxy', trustedProxies)
  // Before express.json() and other body parsers.
  app.use(toExpress(site.health, ...site.services))
  for (const [path, page] of Object.entries(site.pages)) app.all(path, toExpressEndpoint(site.server, page))
  return app
}

/** Returns a server that does not listen yet. */
export const toServer = async (app: Express): Promise<Server> => createServer(app)
