import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import express from 'express'
import { describe, expect, test } from 'vitest'
import { toExpress } from '../src/index.ts'
import { aDeferred } from './deferred.ts'
import { aHost, type Host } from './host.ts'
import { requestText, sendBytes, sendForever, statusesIn } from './raw-client.ts'
import { aService } from './recording-service.ts'

const form = 'application/x-www-form-urlencoded'

test.each([
  ['ATK-001', 'application/json', '{"grant_type":"authorization_code"}'],
  ['ATK-002', `application/json, ${form}`, 'grant_type=authorization_code'],
  ['ATK-005', `${form}; charset=utf-16`, 'grant_type=authorization_code'],
  ['ATK-010', form, 'grant_type=authorization_code&grant_type=authorization_code&code=x'],
  ['ATK-011', form, 'code=a&code=b'],
  ['ATK-013', form, 'grant_type[]=authorization_code&code[x]=1'],
  ['ATK-014', form, 'grant_type='],
  ['ATK-017', form, Array(65).fill('a=1').join('&')],
  ['ATK-019', form, '__proto__=x&constructor=x&prototype=x&toString=x'],
  ['ATK-020', form, 'code=%FF%FE'],
  ['ATK-020', form, 'code=\xff\xfe\x00'],
  ['ATK-022', form, 'code=%&code=%zz'],
  ['ATK-023', form, 'code=%ED%A0%80'],
])('%s: the service gets Content-Type and body as they came: %s, %j', async (_, contentType, body) => {
  const service = aService()
  const host = await aHost((app) => app.use(toExpress(service)))

  const headers = [`Content-Type: ${contentType}`, `Content-Length: ${body.length}`]
  await sendBytes(host.port, requestText('POST /token', headers, body))

  expect(service.received.map((request) => request.headers.get('content-type'))).toEqual([contentType])
  expect(service.received.map((request) => Buffer.from(request.body).toString('latin1'))).toEqual([body])
})

test('ATK-004: the service sees that no Content-Type came', async () => {
  const service = aService()
  const host = await aHost((app) => app.use(toExpress(service)))

  await sendBytes(host.port, requestText('POST /token', ['Content-Length: 3'], 'a=b'))

  expect(service.received.map((request) => request.headers.has('content-type'))).toEqual([false])
})

test('a body in many chunks arrives as one', async () => {
  const service = aService()
  const host = await aHost((app) => app.use(toExpress(service)))

  const chunks = '3\r\na=b\r\n1;ext=x\r\n&\r\n5\r\nc=d%2\r\n1\r\n6\r\n0\r\nTrailer: x\r\n\r\n'
  await sendBytes(host.port, requestText('POST /token', ['Transfer-Encoding: chunked'], chunks))

  expect(service.received.map((request) => Buffer.from(request.body).toString())).toEqual(['a=b&c=d%26'])
  expect(service.received.map((request) => request.headers.has('trailer'))).toEqual([false])
})

test.each(['GET', 'HEAD'])('RFC 9110 §9.3.1: the body of a %s means nothing, whatever its size', async (method) => {
  const service = aService({ bodyLimit: 4 })
  const host = await aHost((app) => app.use(toExpress(service)))

  const transcript = await sendBytes(host.port, requestText(`${method} /token`, ['Content-Length: 9'], 'a=b&c=def'))

  expect(statusesIn(transcript)).toEqual([200])
  expect(service.received.map((request) => request.body.length)).toEqual([0])
})

describe('ATK-007: RFC 9110 §15.5.14: the body limit', () => {
  test('a body of exactly 16 KiB is handled', async () => {
    const service = aService({ bodyLimit: 16_384 })
    const host = await aHost((app) => app.use(toExpress(service)))

    const response = await fetch(`${host.url}/token`, { method: 'POST', body: 'a'.repeat(16_384) })

    expect(response.status).toBe(200)
    expect(service.received.map((request) => request.body.length)).toEqual([16_384])
  })

  test.each([
    ['with its length', ['Content-Length: 16385'], 'a'.repeat(16_385)],
    ['in one chunk', ['Transfer-Encoding: chunked'], `4001\r\n${'a'.repeat(16_385)}\r\n0\r\n\r\n`],
    ['in many chunks', ['Transfer-Encoding: chunked'], `${'1\r\na\r\n'.repeat(16_385)}0\r\n\r\n`],
  ])('one byte more is refused in JSON, nothing is handled, and the connection closes: %s', async (_, headers, body) => {
    const service = aService({ bodyLimit: 16_384 })
    const host = await aHost((app) => app.use(toExpress(service)))

    const transcript = await sendBytes(host.port, requestText('POST /token', headers, body).replace('Connection: close\r\n', ''))

    expect(statusesIn(transcript)).toEqual([413])
    expect(transcript).toMatch(/^Content-Type: application\/json\r$/m)
    expect(transcript).toMatch(/^Cache-Control: no-store\r$/m)
    expect(transcript).toMatch(/^Connection: close\r$/m)
    expect(transcript.endsWith('\r\n\r\n{"error":"invalid_request","error_description":"The request body is too large."}')).toBe(true)
    expect(service.received).toEqual([])
    expect(host.errors).toEqual([])
  })

  test('a client in the middle of a long upload reads the refusal, and not a reset', async () => {
    const service = aService({ bodyLimit: 16_384 })
    const host = await aHost((app) => app.use(toExpress(service)))

    const upload = httpRequest(`${host.url}/token`, { method: 'POST' })
    upload.end(Buffer.alloc(8 * 1024 * 1024, 'a'))
    const answered = once(upload, 'response').then(async ([response]: IncomingMessage[]) => ({
      status: response?.statusCode,
      body: response && (await text(response)),
    }))
    // A reset would make this one reject.
    const closed = once(upload, 'close')
    const [answer] = await Promise.all([answered, closed])

    expect(answer.status).toBe(413)
    expect(answer.body).toContain('too large')
    expect(service.received).toEqual([])
  })

  test('a client that sends too much and leaves at once breaks nothing', async () => {
    const service = aService({ bodyLimit: 4 })
    const { host, settled } = await aWatchedHost(service, {}, (app) => {
      app.use((request, _response, next) => {
        request.once('data', () => request.socket.destroy())
        next()
      })
    })

    await sendBytes(host.port, requestText('POST /token', ['Content-Length: 20'], 'grant_type'))
    await settled

    expect(service.received).toEqual([])
    expect(host.errors).toEqual([])
  })

  test('a client that never stops sending is hung up on', async () => {
    const service = aService({ bodyLimit: 16_384 })
    const host = await aHost((app) => app.use(toExpress(service)))

    const transcript = await sendForever(host.port, `POST /token HTTP/1.1\r\nHost: as.test\r\nContent-Length: ${2 ** 40}\r\n\r\n`)

    expect(statusesIn(transcript)).toEqual([413])
    expect(service.received).toEqual([])
  })
})

describe('a request that never arrives whole', () => {
  test.each([
    ['the client resets the connection', (socket: ReturnType<typeof connect>) => socket.resetAndDestroy()],
    ['the client closes the connection', (socket: ReturnType<typeof connect>) => socket.destroy()],
    ['the client stops sending', (socket: ReturnType<typeof connect>) => socket.end()],
  ])('ATK-008: is not handled, and leaves nothing pending: %s', async (_, leave) => {
    const service = aService()
    const { host, settled } = await aWatchedHost(service)

    const socket = connect(host.port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('POST /token HTTP/1.1\r\nHost: as.test\r\nContent-Length: 20\r\n\r\ngrant_type')
    await once(host.server, 'request')
    leave(socket)
    await settled

    expect(service.received).toEqual([])
    expect(host.errors).toEqual([])
    expect((await fetch(`${host.url}/token`, { method: 'POST' })).status).toBe(200)
  })

  test('a body that comes too slowly runs into the time limit of the HTTP server', async () => {
    const service = aService()
    const { host, settled } = await aWatchedHost(service, { requestTimeout: 60, headersTimeout: 50, connectionsCheckingInterval: 20 })

    const transcript = await sendBytes(host.port, 'POST /token HTTP/1.1\r\nHost: as.test\r\nContent-Length: 20\r\n\r\ngrant')
    await settled

    expect(statusesIn(transcript)).toEqual([408])
    expect(service.received).toEqual([])
    expect(host.errors).toEqual([])
  })

  test('a client that is gone before the adapter reads is not waited for', async () => {
    const service = aService()
    const { host, settled } = await aWatchedHost(service, {}, (app) => {
      app.use((request, _response, next) => {
        request.on('close', () => next())
        request.socket.destroy()
      })
    })

    await sendBytes(host.port, requestText('POST /token', ['Content-Length: 20'], 'grant_type'))
    await settled

    expect(service.received).toEqual([])
    expect(host.errors).toEqual([])
  })
})

describe('a body that something else has read', () => {
  const fix = /in front of express\.json\(\), express\.urlencoded\(\)/

  test.each([
    ['express.urlencoded()', express.urlencoded(), [form, 'grant_type=x']],
    ['express.json()', express.json(), ['application/json', '{}']],
    ['express.raw()', express.raw({ type: () => true }), ['application/octet-stream', 'x']],
    ['express.text()', express.text(), ['text/plain', 'x']],
    ['a parser that skips the request, as it does at the first POST of every developer', express.json(), [form, 'grant_type=x']],
    ['a parser that skips an empty body', express.json(), [form, '']],
    ['a reader of its own', readAll, [form, 'grant_type=x']],
    ['a decoder of its own', decode, [form, 'grant_type=x']],
  ] as const)('is an error of the host that names the fix, and nothing is handled: %s', async (_, parser, [contentType, body]) => {
    const service = aService()
    const host = await aHost((app) => app.use(parser, toExpress(service)))

    const response = await fetch(`${host.url}/token`, { method: 'POST', headers: { 'Content-Type': contentType }, body })

    expect(response.status).toBe(500)
    expect(await response.text()).toMatch(fix)
    expect(host.errors).toHaveLength(1)
    expect(service.received).toEqual([])
  })

  test.each([
    ['a parser behind the adapter', (app: express.Express, handler: express.RequestHandler) => app.use(handler, express.json())],
    ['a reader that found nothing to read', (app: express.Express, handler: express.RequestHandler) => app.use(readAll, handler)],
    ['a platform that keeps a copy', (app: express.Express, handler: express.RequestHandler) => app.use(keepCopy, handler)],
  ])('no error: %s', async (_, mount) => {
    const service = aService()
    const host = await aHost((app) => mount(app, toExpress(service)))

    expect((await fetch(`${host.url}/token`, { method: 'POST' })).status).toBe(200)
    expect(host.errors).toEqual([])
  })

  test('a GET works behind a parser', async () => {
    const host = await aHost((app) => app.use(express.json(), toExpress(aService())))

    expect((await fetch(`${host.url}/token`)).status).toBe(200)
  })

  test('a parser behind the adapter still parses for the host', async () => {
    const host = await aHost((app) => {
      app.use(toExpress(aService()), express.json())
      app.post('/echo', (request, response) => {
        response.json(request.body)
      })
    })

    const response = await fetch(`${host.url}/echo`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '[1]' })

    expect(await response.json()).toEqual([1])
  })
})

const readAll: express.RequestHandler = async (request, _response, next) => {
  await buffer(request)
  next()
}

const decode: express.RequestHandler = (request, _response, next) => {
  request.setEncoding('utf8')
  next()
}

const keepCopy: express.RequestHandler = (request, _response, next) => {
  request.body = Buffer.alloc(0)
  next()
}

/** A host that says when the adapter's work on its first request is over, however it ended. */
async function aWatchedHost(
  service: ReturnType<typeof aService>,
  options: Parameters<typeof aHost>[1] = {},
  before: (app: express.Express) => void = () => undefined,
): Promise<{ host: Host; settled: Promise<unknown> }> {
  const { promise, resolve } = aDeferred<unknown>()
  const handler = toExpress(service)
  const host = await aHost((app) => {
    before(app)
    app.use((request, response, next) => {
      const work = Promise.resolve(handler(request, response, next))
      resolve(work)
      return work
    })
  }, options)
  return { host, settled: promise }
}
