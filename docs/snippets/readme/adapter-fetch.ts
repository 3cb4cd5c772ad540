import { toFetchHandler } from '@mintmark/adapter-fetch'

import { server } from './core.ts'

const mintmark = toFetchHandler(server)

/** It resolves to undefined where the path is not one of the server's. */
export const fetchHandler = async (request: Request) =>
  (await mintmark(request)) ?? new Response('Your own routes', { status: 404 })
