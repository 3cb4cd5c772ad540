import { toFetchEndpoint, toFetchHandler } from '@mintmark/adapter-fetch'

import { openSite } from '#open-site'

/** Answers the requests of the authorization server. */
export async function mintmark(request: Request): Promise<Response> {
  const handle = await opened()
  return handle(request)
}

/** `next build` loads this file without the environment, so the first request opens the database. */
let opening: ReturnType<typeof open> | undefined

function opened() {
  opening ??= open().catch((error: unknown) => {
    // The next request tries again.
    opening = undefined
    throw error
  })
  return opening
}

async function open() {
  const site = await openSite()
  const services = toFetchHandler(...site.services)
  const pages = new Map(Object.entries(site.pages).map(([path, page]) => [path, toFetchEndpoint(site.server, page)]))
  return async (request: Request): Promise<Response> =>
    (await services(request)) ??
    (await pages.get(new URL(request.url).pathname)?.(request)) ??
    new Response('Not found.', { status: 404 })
}
