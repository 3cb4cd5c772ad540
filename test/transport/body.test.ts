import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { adapters } from '../support/adapters.ts'
import { aHost } from './host.ts'
import { requestText, sendBytes, sendForever, statusesIn } from './raw-client.ts'
import { aService } from './recording-service.ts'

const form = 'application/x-www-form-urlencoded'

describe.each(adapters)('on $name', (adapter) => {
  test.each([
    ['application/json', '{"grant_type":"authorization_code"}'],
    [`application/json, ${form}`, 'grant_type=authorization_code'],
    [`${form}; charset=utf-16`, 'grant_type=authorization_code'],
    [form, 'grant_type=authorization_code&grant_type=authorization_code&code=x'],
    [form, 'code=a&code=b'],
    [form, 'grant_type[]=authorization_code&code[x]=1'],
    [form, 'grant_type='],
    [form, Array(65).fill('a=1').join('&')],
    [form, '__proto__=x&constructor=x&prototype=x&toString=x'],
    [form, 'code=%FF%FE'],
    [form, 'code=\xff\xfe\x00'],
    [form, 'code=%&code=%zz'],
    [form, 'code=%ED%A0%80'],
  ])('the service gets Content-Type and body unchanged: %s, %j', async (contentType, body) => {
    const service = aService()
    const host = await aHost(adapter, { services: [service] })

    const headers = [`Content-Type: ${contentType}`, `Content-Length: ${body.length}`]
    await sendBytes(host.port, requestText('POST /token', headers, body))

    expect(service.received.map((request) => request.headers.get('content-type'))).toEqual([contentType])
    expect(service.received.map((request) => Buffer.from(request.body).toString('latin1'))).toEqual([body])
  })

  test('the service sees that the request has no Content-Type', async () => {
    const service = aService()
    const host = await aHost(adapter, { services: [service] })

    await sendBytes(host.port, requestText('POST /token', ['Content-Length: 3'], 'a=b'))

    expect(service.received.map((request) => request.headers.has('content-type'))).toEqual([false])
  })

  test('a body in many chunks arrives as one', async () => {
    const service = aService()
    const host = await aHost(adapter, { services: [service] })

    const chunks = '3\r\na=b\r\n1;ext=x\r\n&\r\n5\r\nc=d%2\r\n1\r\n6\r\n0\r\nTrailer: x\r\n\r\n'
    await sendBytes(host.port, requestText('POST /token', ['Transfer-Encoding: chunked'], chunks))

    expect(service.received.map((request) => Buffer.from(request.body).toString())).toEqual(['a=b&c=d%26'])
    expect(service.received.map((request) => request.headers.has('trailer'))).toEqual([false])
  })

  test.each(['GET', 'HEAD'])('the body of a %s is ignored, whatever its size (RFC 9110 §9.3.1)', async (method) => {
    const service = aService({ bodyLimit: 4 })
    const host = await aHost(adapter, { services: [service] })

    const transcript = await sendBytes(host.port, requestText(`${method} /token`, ['Content-Length: 9'], 'a=b&c=def'))

    expect(statusesIn(transcript)).toEqual([200])
    expect(service.received.map((request) => request.body.length)).toEqual([0])
  })

  describe('the body limit (RFC 9110 §15.5.14)', () => {
    test('accepts a body of exactly 16 KiB', async () => {
      const service = aService({ bodyLimit: 16_384 })
      const host = await aHost(adapter, { services: [service] })

      const response = await fetch(`${host.url}/token`, { method: 'POST', body: 'a'.repeat(16_384) })

      expect(response.status).toBe(200)
      expect(service.received.map((request) => request.body.length)).toEqual([16_384])
    })

    test.each([
      ['with its length', ['Content-Length: 16385'], 'a'.repeat(16_385)],
      ['in one chunk', ['Transfer-Encoding: chunked'], `4001\r\n${'a'.repeat(16_385)}\r\n0\r\n\r\n`],
      ['in many chunks', ['Transfer-Encoding: chunked'], `${'1\r\na\r\n'.repeat(16_385)}0\r\n\r\n`],
    ])(
      'rejects a body that is one byte larger with a JSON error, and does not pass it to the service: %s',
      async (_, headers, body) => {
        const service = aService({ bodyLimit: 16_384 })
        const host = await aHost(adapter, { services: [service] })

        const transcript = await sendBytes(host.port, requestText('POST /token', headers, body))

        expect(statusesIn(transcript)).toEqual([413])
        expect(transcript).toMatch(/^Content-Type: application\/json\r$/im)
        expect(transcript).toMatch(/^Cache-Control: no-store\r$/im)
        expect(
          transcript.endsWith(
            '\r\n\r\n{"error":"invalid_request","error_description":"The request body is too large."}',
          ),
        ).toBe(true)
        expect(service.received).toEqual([])
        expect(host.errors).toEqual([])
      },
    )

    test('a client that sends too much and disconnects at once causes no error', async () => {
      const service = aService({ bodyLimit: 4 })
      const host = await aHost(adapter, { services: [service] })
      const gone = new Promise<void>((resolve) => {
        host.server.once('request', (request) => {
          request.once('data', () => request.socket.destroy())
          request.once('close', resolve)
        })
      })

      await sendBytes(host.port, requestText('POST /token', ['Content-Length: 20'], 'grant_type'))
      await gone

      expect(service.received).toEqual([])
      expect(host.errors).toEqual([])
      expect((await fetch(`${host.url}/token`, { method: 'POST' })).status).toBe(200)
    })

    test('disconnects a client that never stops sending', async () => {
      const service = aService({ bodyLimit: 16_384 })
      const host = await aHost(adapter, { services: [service] })

      const transcript = await sendForever(
        host.port,
        `POST /token HTTP/1.1\r\nHost: as.test\r\nContent-Length: ${2 ** 40}\r\n\r\n`,
      )

      expect(statusesIn(transcript)).toEqual([413])
      expect(service.received).toEqual([])
    })
  })

  describe('a request that never arrives completely', () => {
    test.each([
      ['the client resets the connection', (socket: ReturnType<typeof connect>) => socket.resetAndDestroy()],
      ['the client closes the connection', (socket: ReturnType<typeof connect>) => socket.destroy()],
      ['the client stops sending', (socket: ReturnType<typeof connect>) => socket.end()],
    ])('is not handled and causes no error: %s', async (_, leave) => {
      const service = aService()
      const host = await aHost(adapter, { services: [service] })

      const socket = connect(host.port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write('POST /token HTTP/1.1\r\nHost: as.test\r\nContent-Length: 20\r\n\r\ngrant_type')
      const [request] = (await once(host.server, 'request')) as [IncomingMessage]
      // `once` of node:events would reject, because the stream breaks.
      const closed = new Promise((resolve) => request.once('close', resolve))
      leave(socket)
      await closed

      expect((await fetch(`${host.url}/token`, { method: 'POST', body: 'whole' })).status).toBe(200)
      expect(service.received.map(({ body }) => Buffer.from(body).toString())).toEqual(['whole'])
      expect(host.errors).toEqual([])
    })

    test("a body that arrives too slowly exceeds the HTTP server's time limit", async () => {
      const service = aService()
      const limits = { requestTimeout: 60, headersTimeout: 50, connectionsCheckingInterval: 20 }
      const host = await aHost(adapter, { services: [service] }, limits)

      const transcript = await sendBytes(
        host.port,
        'POST /token HTTP/1.1\r\nHost: as.test\r\nContent-Length: 20\r\n\r\ngrant',
      )

      expect(statusesIn(transcript)).toEqual([408])
      expect(service.received).toEqual([])
      expect(host.errors).toEqual([])
    })
  })
})

// With the Fetch adapter, the runtime owns the connection and may close it after the response.
describe.each(adapters.filter(({ name }) => name !== 'Fetch'))(
  'after a body that is too large, on $name (RFC 9112 §9.6)',
  (adapter) => {
    test('closes the connection, even if the client wants to continue', async () => {
      const host = await aHost(adapter, { services: [aService({ bodyLimit: 4 })] })

      const transcript = await sendBytes(
        host.port,
        'POST /token HTTP/1.1\r\nHost: as.test\r\nContent-Length: 5\r\n\r\nabcde',
      )

      expect(statusesIn(transcript)).toEqual([413])
      expect(transcript).toMatch(/^Connection: close\r$/m)
    })

    test('a client in the middle of a long upload receives the refusal, not a reset', async () => {
      const service = aService({ bodyLimit: 16_384 })
      const host = await aHost(adapter, { services: [service] })

      await expectCompleteRefusal(host.url)
      expect(service.received).toEqual([])
    })

    test('a client receives the refusal even after a hundred clients disconnected without reading theirs', async () => {
      const host = await aHost(adapter, { services: [aService({ bodyLimit: 4 })] })
      const oversized = 'POST /token HTTP/1.1\r\nHost: as.test\r\nContent-Length: 5\r\n\r\nabcde'
      await Promise.all(Array.from({ length: 110 }, async () => sendBytes(host.port, oversized, 'close')))

      await expectCompleteRefusal(host.url)
    })
  },
)

async function expectCompleteRefusal(url: string): Promise<void> {
  const upload = httpRequest(`${url}/token`, { method: 'POST' })
  upload.end(Buffer.alloc(8 * 1024 * 1024, 'a'))
  const answered = once(upload, 'response').then(async ([response]: IncomingMessage[]) => ({
    status: response?.statusCode,
    body: response && (await text(response)),
  }))
  // A connection reset would reject this promise.
  const closed = once(upload, 'close')
  const [answer] = await Promise.all([answered, closed])

  expect(answer.status).toBe(413)
  expect(answer.body).toContain('too large')
}
