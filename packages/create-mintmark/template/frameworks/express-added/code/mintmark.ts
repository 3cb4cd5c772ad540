import { toExpress, toExpressEndpoint } from '@mintmark/adapter-express'
import { Router } from 'express'

import { openSite } from '#open-site'

/** Creates the middleware of the authorization server. Before body parsers: `app.use(await mintmark())`. */
export async function mintmark(): Promise<Router> {
  const site = await openSite()
  const router = Router().use(toExpress(...site.services))
  for (const [path, page] of Object.entries(site.pages)) router.all(path, toExpressEndpoint(site.server, page))
  return router
}
