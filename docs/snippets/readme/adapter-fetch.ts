import { toFetchHandler } from '@mintmark/adapter-fetch'

import { server } from './core.ts'

const mintmark = toFetchHandler(server)

/** Answers the server's own paths. For other paths, `mintmark` resolves to undefined, and your own routes answer. */
export const fetchHandler = async (request: Request) =>
  (await mintmark(request)) ?? new Response('Your own routes', { status: 404 })
