import { once } from 'node:events'
import { createServer } from 'node:http'

import { CommandError } from '../command-error.ts'

/**
 * Serves the files on 127.0.0.1. A form leads back to the list, because nothing is behind the pages.
 * @param port 0 takes a free port.
 * @returns the origin, and a promise that is pending while the server runs.
 * @throws CommandError when the port is in use.
 */
export async function servePreview(files: ReadonlyMap<string, string>, port: number) {
  const server = createServer(({ method, url = '/' }, response) => {
    if (method === 'POST') {
      response.writeHead(303, { Location: '/' }).end()
      return
    }
    const { pathname } = new URL(url, 'http://127.0.0.1')
    const text = files.get(pathname === '/' ? 'index.html' : pathname.slice(1))
    response.writeHead(text === undefined ? 404 : 200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
    })
    response.end(text ?? 'There is no such page.')
  })
  server.listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new CommandError(`The port ${port} cannot be used. Choose another one with --port.`, { cause: error })
  }
  const address = server.address()
  const actual = typeof address === 'object' && address !== null ? address.port : port
  return { origin: `http://127.0.0.1:${actual}`, closed: once(server, 'close') }
}
