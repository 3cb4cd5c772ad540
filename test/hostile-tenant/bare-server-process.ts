// A plain node:http server that responds at once and reads no body: 200 for a token request, 401 for everything else.
// It prints its port, and exits when its parent exits.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { reportStalls } from './stalls.ts'

const listener = createServer((request, response) => {
  if (request.url === '/token') response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  else response.writeHead(401, { connection: 'close' }).end()
})
reportStalls(listener)
listener.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  process.stdout.write(`${(listener.address() as AddressInfo).port}\n`),
)
process.on('disconnect', () => process.exit())
