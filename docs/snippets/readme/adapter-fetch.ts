import { toFetchHandler } from '@mintmark/adapter-fetch'

import { server } from './core.ts'

const mintmark = toFetchHandler(server)

export default {
  // undefined: the path is not one of the server's.
  fetch: async (request: Request) => (await mintmark(request)) ?? new Response('Your own routes', { status: 404 }),
}
