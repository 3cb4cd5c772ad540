// A client that receives logout tokens. Its own process, so that its CPU time is not that of the server.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

process.on('disconnect', () => process.exit())
const receiver = createServer((request, response) => {
  request.resume().on('end', () => void response.writeHead(204).end())
})
receiver.keepAliveTimeout = 0
receiver.listen(0, '127.0.0.1', () => process.send?.((receiver.address() as AddressInfo).port))
