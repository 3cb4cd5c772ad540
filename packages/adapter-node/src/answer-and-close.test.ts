import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { answerAndClose } from './answer-and-close.ts'

/** A client that has received the response to an upload of 1 MB, of which it has sent only the beginning. */
async function aRefusedUpload() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] })
  const server = createServer((request, response) => {
    response.writeHead(413, { 'Content-Length': 9, Connection: 'close' })
    answerAndClose(request, response, { body: 'too large', lingering: { connections: 0, bytes: 0 } })
  })
  const requested = once(server, 'request')
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    vi.useRealTimers()
    server.close()
    server.closeAllConnections()
  })

  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true })
  const errors: unknown[] = []
  client.on('error', (error) => errors.push(error))
  client.write('POST / HTTP/1.1\r\nHost: as.test\r\nContent-Length: 1000000\r\n\r\n')
  const [response] = (await once(client, 'data')) as [Buffer]
  const [request] = (await requested) as [IncomingMessage]
  const end = once(client.resume(), 'end')
  const sendMore = async (): Promise<void> => {
    client.write('a')
    await once(request, 'data')
  }
  return { response: response.toString(), client, end, errors, sendMore }
}

test('does not close the connection while the client sends, however late the timers run (RFC 9112 §9.6)', async () => {
  const { response, client, errors, sendMore } = await aRefusedUpload()

  for (let round = 0; round < 6; round += 1) {
    vi.advanceTimersByTime(250)
    await sendMore()
  }

  expect(response).toMatch(/^HTTP\/1\.1 413[^]*too large$/)
  expect(client.readableEnded).toBe(false)
  expect(errors).toEqual([])
})

test('closes the connection when the client pauses (RFC 9112 §9.6)', async () => {
  const { end, sendMore } = await aRefusedUpload()
  await sendMore()

  vi.advanceTimersByTime(600)
  await end
})

test('closes the connection of a client that sends slowly without a pause (RFC 9112 §9.6)', async () => {
  const { client, end, sendMore } = await aRefusedUpload()

  for (let round = 0; round < 39; round += 1) {
    vi.advanceTimersByTime(250)
    await sendMore()
  }
  expect(client.readableEnded).toBe(false)
  vi.advanceTimersByTime(250)

  await end
})
