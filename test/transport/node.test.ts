import { once } from 'node:events'
import { createServer, IncomingMessage, type ServerOptions, ServerResponse } from 'node:http'
import { connect, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { toNodeHandler, toNodeListener } from '@mintmark/adapter-node'
import { createRouter, type HttpService, json } from '@mintmark/core/http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { aDeferred } from './deferred.ts'
import { listenOn } from './host.ts'
import { requestText, sendBytes, statusesIn } from './raw-client.ts'
import { aService } from './recording-service.ts'

describe('the listener', () => {
  test('answers the paths of its services, and an empty 404 elsewhere', async () => {
    const host = await listenOn(createServer(toNodeListener(aService(), aService({ path: '/scim' }))))

    expect((await fetch(`${host.url}/token`)).status).toBe(200)
    expect((await fetch(`${host.url}/scim`)).status).toBe(200)
    const elsewhere = await fetch(`${host.url}/other`, { method: 'POST', body: 'a' })
    expect([elsewhere.status, await elsewhere.text(), elsewhere.headers.get('cache-control')]).toEqual([
      404,
      '',
      'no-store',
    ])
  })

  test.each([
    ['an error', new Error('broken'), 'broken'],
    ['a value that is not an error', 'broken', 'broken'],
  ])(
    'answers an empty 500 when a service throws %s, and the process logs a warning and continues',
    async (_, thrown, message) => {
      const warnings = watchWarnings()
      const service = { ...aService(), handle: () => Promise.reject(thrown) }
      const host = await listenOn(createServer(toNodeListener(service)))

      const transcript = await sendBytes(host.port, requestText('GET /token'))

      expect(statusesIn(transcript)).toEqual([500])
      expect(transcript).toMatch(/^Cache-Control: no-store\r$/m)
      expect(transcript.endsWith('\r\n\r\n')).toBe(true)
      expect(warnings.map((warning) => warning.message)).toEqual([message])
      expect((await fetch(`${host.url}/other`)).status).toBe(404)
    },
  )

  test('answers a preflight at once when its body does not end (Fetch §3.3.2)', async () => {
    const shared = createRouter({
      origin: 'https://as.test',
      bodyLimit: 16_384,
      tooLarge: () => json(413, {}),
      notFound: () => json(404, {}),
      methodNotAllowed: () => json(405, {}),
      routes: [
        {
          path: '/token',
          methods: { POST: () => Promise.resolve(json(200, {})) },
          renderError: () => json(500, {}),
          crossOrigin: 'any_origin',
        },
      ],
    })
    const warnings = watchWarnings()
    const host = await listenOn(createServer({ rejectNonStandardBodyWrites: true }, toNodeListener(shared)))

    const headers = ['Origin: https://app.test', 'Access-Control-Request-Method: POST', 'Transfer-Encoding: chunked']
    const transcript = await sendBytes(host.port, requestText('OPTIONS /token', headers, '1\r\na\r\n'))

    expect(statusesIn(transcript)).toEqual([204])
    expect(transcript).toMatch(/^Access-Control-Allow-Methods: POST\r$/m)
    expect(warnings).toEqual([])
  })

  test('sends nothing of a response that cannot be sent (RFC 9112 §11.1)', async () => {
    const warnings = watchWarnings()
    const headers = [
      ['Set-Cookie', 'a=1'],
      ['Location', 'https://app.test/\r\nX: evil'],
    ] as const
    const service = aService({ endpoint: () => Promise.resolve({ status: 303, headers, body: undefined }) })
    const host = await listenOn(createServer(toNodeListener(service)))

    const transcript = await sendBytes(host.port, requestText('GET /token'))

    expect(statusesIn(transcript)).toEqual([500])
    expect(transcript).not.toMatch(/set-cookie|location|evil/i)
    expect(warnings).toHaveLength(1)
  })
})

describe('the handler', () => {
  test('returns whether it responded, and leaves the request untouched if it did not', async () => {
    const host = await aWatchedHost({})

    await fetch(`${host.url}/token`)
    const other = await fetch(`${host.url}/other`, { method: 'POST', body: 'kept' })

    expect(await Promise.all(host.handled)).toEqual([true, false])
    expect(await other.text()).toBe('the host read: kept')
  })

  test('middleware that wraps writeHead, as for sessions and compression, sees all headers and removes none', async () => {
    const headers = [
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
      ['Cache-Control', 'no-store'],
    ] as const
    const handle = toNodeHandler(aService({ endpoint: () => Promise.resolve({ status: 200, headers, body: 'é' }) }))
    const host = await listenOn(
      createServer((request, response) => {
        const writeHead = response.writeHead.bind(response)
        // Behaves like on-headers before 1.1.0, which accepted lists of pairs but no flat list of names and values.
        response.writeHead = (status: number, list: unknown) => {
          if (Array.isArray(list)) for (const [name, value] of list) response.setHeader(String(name), String(value))
          response.setHeader('X-Had', response.getHeaderNames().join(' '))
          return writeHead(status)
        }
        void handle(request, response)
      }),
    )

    const answer = await fetch(`${host.url}/token`)

    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect([answer.headers.get('cache-control'), answer.headers.get('content-length')]).toEqual(['no-store', '2'])
    expect(answer.headers.get('x-had')).toBe('set-cookie cache-control content-length')
  })

  test.each([
    ['resets the connection', (socket: Socket) => socket.resetAndDestroy()],
    ['closes the connection', (socket: Socket) => socket.destroy()],
    ['stops sending', (socket: Socket) => socket.end()],
  ])('finishes without calling the service when the client %s', async (_, leave) => {
    const host = await aWatchedHost({})

    const socket = connect(host.port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('POST /token HTTP/1.1\r\nHost: as.test\r\nContent-Length: 20\r\n\r\ngrant_type')
    await once(host.server, 'request')
    leave(socket)

    expect(await host.first).toBe(true)
    expect(host.service.received).toEqual([])
  })

  test('finishes without calling the service when the HTTP server times out because the body arrives too slowly', async () => {
    const host = await aWatchedHost({ requestTimeout: 60, headersTimeout: 50, connectionsCheckingInterval: 20 })

    await sendBytes(host.port, 'POST /token HTTP/1.1\r\nHost: as.test\r\nContent-Length: 20\r\n\r\ngrant')

    expect(await host.first).toBe(true)
    expect(host.service.received).toEqual([])
  })

  test('does not wait for a client that disconnected before the body was read', async () => {
    const host = await aWatchedHost({}, async (request) => {
      request.socket.destroy()
      // `once` of node:events would reject, because the stream breaks.
      await new Promise<void>((resolve) => request.once('close', resolve))
    })

    await sendBytes(host.port, requestText('POST /token', ['Content-Length: 20'], 'grant_type'))

    expect(await host.first).toBe(true)
    expect(host.service.received).toEqual([])
  })

  test('does not wait for the body of a request that was destroyed, even if its response is still open', async () => {
    const request = Object.assign(new IncomingMessage(new Socket()), { method: 'POST', url: '/token' })
    const closed = once(
      request.on('error', () => undefined),
      'close',
    )
    request.destroy()
    await closed
    const service = aService()

    expect(await toNodeHandler(service)(request, new ServerResponse(request))).toBe(true)
    expect(service.received).toEqual([])
  })
})

test('answers a short request before most of the uploads that began at the same time', async () => {
  const order: string[] = []
  const service: HttpService = {
    ...aService(),
    handle: ({ headers }) => {
      const kind = headers.has('content-length') ? 'upload' : 'short'
      order.push(kind)
      // Takes longer than a turn of the event loop may take.
      if (kind === 'upload') keepBusy(10)
      return Promise.resolve(json(kind === 'upload' ? 401 : 200, {}))
    },
  }
  const host = await listenOn(createServer(toNodeListener(service)))
  const sockets = Array.from({ length: 11 }, () => connect(host.port, '127.0.0.1'))
  const [short, ...uploads] = sockets
  // After the server has responded on each connection, it reads from all of them in one turn of its event loop.
  for (const socket of sockets) socket.write('GET /token HTTP/1.1\r\nHost: as.test\r\n\r\n')
  await Promise.all(sockets.map((socket) => once(socket, 'data')))
  order.length = 0

  for (const socket of uploads) socket.write(requestText('POST /token', ['Content-Length: 100000'], 'a'))
  short?.write(requestText('GET /token'))
  const ends = await Promise.all(sockets.map((socket) => text(socket)))

  expect(ends.map((end) => end.slice(0, 12))).toEqual(['HTTP/1.1 200', ...uploads.map(() => 'HTTP/1.1 401')])
  expect(order.indexOf('short')).toBeLessThan(5)
})

function keepBusy(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}

/** Starts a host that records the promises that its handler returns. */
async function aWatchedHost(
  options: ServerOptions,
  before: (request: IncomingMessage) => Promise<void> = () => Promise.resolve(),
) {
  const service = aService({ endpoint: () => Promise.resolve(json(200, {})) })
  const handle = toNodeHandler(service)
  const handled: Promise<boolean>[] = []
  const first = aDeferred<boolean>()
  const server = createServer(options, (request, response) => {
    const work = before(request).then(() => handle(request, response))
    handled.push(work)
    first.resolve(work)
    void echoUnlessAnswered(work, request, response)
  })
  return { ...(await listenOn(server)), service, handled, first: first.promise }
}

async function echoUnlessAnswered(
  work: Promise<boolean>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!(await work)) response.end(`the host read: ${await text(request)}`)
}

/** Records the warnings of the process for the duration of the test. */
function watchWarnings(): readonly Error[] {
  const warnings: Error[] = []
  const listen = (warning: Error): void => void warnings.push(warning)
  process.on('warning', listen)
  onTestFinished(() => void process.off('warning', listen))
  return warnings
}
