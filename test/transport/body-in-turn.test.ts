import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { type HttpService, json } from '@mintmark/core/http'
import { readRequest } from '@mintmark/internal'
import { describe, expect, test } from 'vitest'
import { adapters } from '../support/adapters.ts'
import { aDeferred } from './deferred.ts'
import { aHost } from './host.ts'
import { requestText, statusesIn } from './raw-client.ts'
import { aService } from './recording-service.ts'

// With the Fetch adapter, the runtime reads the body from the connection.
describe.each(adapters.filter(({ name }) => name !== 'Fetch'))(
  'a body that the service does not read at once, on $name (RFC 9112 §6.3)',
  (adapter) => {
    test.each([
      ['the service is busy with another upload', keepBusy],
      ['the service authenticates the caller first', nextTurn],
    ])('arrives complete although the host also listens for its data: %s', async (_, before) => {
      const { service, bodies } = aReader(before)
      const host = await aHost(adapter, { services: [service] })
      host.server.prependListener('request', (request: IncomingMessage) => request.on('data', () => undefined))

      const statuses = await sendUploads(host.port)

      expect(statuses).toEqual([200, 200, 200, 200])
      expect(bodies).toEqual(['hello world', 'hello world', 'hello world', 'hello world'])
    })

    test.each([
      ['the service is busy with another upload', keepBusy],
      ['the service authenticates the caller first', nextTurn],
    ])('is not handled after the host has answered: %s', async (_, before) => {
      const { service, bodies } = aReader(before)
      const host = await aHost(adapter, { services: [service] })
      host.server.on('request', giveUp)

      const statuses = await sendUploads(host.port)

      expect(statuses).toEqual([503, 503, 503, 503])
      expect(bodies).toEqual([])
      expect(host.errors).toEqual([])
    })

    test('is not passed to the service when the host answers before its turn', async () => {
      const { service, calls } = aReader(keepBusy)
      const host = await aHost(adapter, { services: [service] })
      host.server.on('request', giveUp)

      await sendUploads(host.port)

      expect(calls).toHaveLength(1)
    })

    test('is not passed to the service when the client leaves before its turn', async () => {
      const { service, calls } = aReader(keepBusy)
      const host = await aHost(adapter, { services: [service] })
      host.server.on('request', ({ method, socket }: IncomingMessage) => method === 'POST' && socket.destroy())

      await sendUploads(host.port)
      const { status } = await fetch(`${host.url}/token`)

      expect(status).toBe(200)
      // The first upload does not wait for its turn, and the second gets its turn before its connection is closed.
      expect(calls.length).toBeLessThan(3)
    })

    test('is not handled when the host responds before the complete body has arrived', async () => {
      const { service, bodies, reading } = aReader(() => undefined)
      const host = await aHost(adapter, { services: [service] })
      host.server.once('request', (request: IncomingMessage, response: ServerResponse) => {
        void reading.then(() => giveUp(request, response))
      })
      const socket = connect(host.port, '127.0.0.1')

      socket.write('POST /token HTTP/1.1\r\nHost: as.test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n')
      const [answer] = (await once(socket, 'data')) as [Buffer]
      socket.write(`6\r\n world\r\n0\r\n\r\n${requestText('GET /other')}`)
      const rest = await text(socket)

      expect([...statusesIn(answer.toString()), ...statusesIn(rest)]).toEqual([503, 404])
      expect(bodies).toEqual([])
    })

    test.each([
      ['the service is busy with another upload', keepBusy],
      ['the service authenticates the caller first', nextTurn],
    ])('causes an error in the host, and is not handled, when other code has read it: %s', async (_, before) => {
      const { service, bodies } = aReader(before)
      const host = await aHost(adapter, { services: [service] })
      host.server.on('request', (request: IncomingMessage) => void request.resume())

      const statuses = await sendUploads(host.port)

      expect(statuses.filter((status) => status === 500)).toHaveLength(4)
      expect(host.errors).toHaveLength(4)
      for (const error of host.errors) expect(String(error)).toMatch(/needs the raw request body/)
      expect(bodies).toEqual([])
    })
  },
)

/**
 * A service that does something before it reads a body.
 * @returns the bodies that it read and the paths of its calls; `reading` resolves when it begins to read.
 */
function aReader(before: () => Promise<void> | undefined) {
  const bodies: string[] = []
  const calls: string[] = []
  const reading = aDeferred<undefined>()
  const service: HttpService = {
    ...aService(),
    async handle(received) {
      if (received.method === 'GET') return json(200, {})
      calls.push(received.url.pathname)
      const wait = before()
      if (wait !== undefined) await wait
      const request = readRequest(received, 100)
      reading.resolve(undefined)
      const read = await request
      if (typeof read !== 'string') bodies.push(Buffer.from(read.body).toString())
      return json(typeof read === 'string' ? 400 : 200, {})
    },
  }
  return { service, bodies, calls, reading: reading.promise }
}

/** Blocks for longer than a turn of the event loop may take, so that the other uploads must wait. */
function keepBusy(): undefined {
  const until = performance.now() + 10
  while (performance.now() < until);
}

const nextTurn = (): Promise<void> => setImmediate()

/** Responds to uploads with 503, as a host does after a timeout. */
function giveUp({ method }: IncomingMessage, response: ServerResponse): void {
  if (method === 'POST') response.writeHead(503).end()
}

/** Sends four small bodies of unknown length, which the server receives in one round of its event loop. */
async function sendUploads(port: number): Promise<readonly number[]> {
  const sockets = Array.from({ length: 4 }, () => connect(port, '127.0.0.1'))
  // After the server has responded on each connection, it reads from all of them in one round.
  for (const socket of sockets) socket.write('GET /token HTTP/1.1\r\nHost: as.test\r\n\r\n')
  await Promise.all(sockets.map((socket) => once(socket, 'data')))
  const body = '5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n'
  for (const socket of sockets) socket.write(requestText('POST /token', ['Transfer-Encoding: chunked'], body))
  // A server that resets the connection has sent no answer.
  const answers = await Promise.all(sockets.map((socket) => text(socket).catch(() => '')))
  return answers.flatMap(statusesIn)
}
