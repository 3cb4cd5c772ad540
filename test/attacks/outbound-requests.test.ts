import { createSocket } from 'node:dgram'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'

import { describe, expect, it, onTestFinished } from 'vitest'

import { selfSignedCertificate } from '../support/certificates.ts'
import {
  createOutboundClient,
  isOutboundUrl,
  type OutboundLimits,
  type OutboundRequest,
} from '../../packages/core/src/outbound/client.ts'
import { pinnedFetch, type PinnedFetchOptions } from '../../packages/core/src/outbound/pinned-fetch.ts'

// One file for the outbound client, because all tests use the two servers below.
const get: OutboundRequest = { url: 'https://client.test/jwks', timeout: 5000, maxBytes: 1000 }

describe('a request to a client’s server', () => {
  it('returns status, headers and body', async () => {
    const { client, received } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"keys":[]}')
    })

    const result = await client.request({ ...get, headers: { accept: 'application/json' } })

    expect(result).toMatchObject({ outcome: 'answered', status: 200, body: '{"keys":[]}' })
    expect(received[0]).toMatchObject({ method: 'GET', url: '/jwks' })
    expect(received[0]?.headers).toMatchObject({ host: 'client.test', accept: 'application/json' })
  })

  it('sends a form, and reuses the connection for the next request', async () => {
    const sockets = new Set<unknown>()
    const { client } = await serve((request, response) => {
      sockets.add(request.socket)
      request.setEncoding('utf8').once('data', (data: string) => response.end(data))
    })
    const post = { ...get, method: 'POST' as const, body: 'logout_token=a.b.c' }

    const results = [await client.request(post), await client.request(post)]

    expect(results).toMatchObject([{ body: 'logout_token=a.b.c' }, { body: 'logout_token=a.b.c' }])
    expect(sockets.size).toBe(1)
  })

  it('does not follow a redirect (RFC 9700 §4.11)', async () => {
    const { client, received } = await serve((_request, response) => {
      response.writeHead(302, { location: 'https://client.test/elsewhere' }).end()
    })

    expect(await client.request(get)).toMatchObject({ outcome: 'answered', status: 302 })
    expect(received).toHaveLength(1)
  })

  it('drops a response that exceeds the limit', async () => {
    const { client } = await serve((_request, response) => response.end('x'.repeat(1001)))

    expect(await client.request(get)).toEqual({ outcome: 'failed', failure: 'too_large' })
  })

  it.each([
    { phase: 'for the response', respond: () => {} },
    { phase: 'for the rest of the body', respond: ((_request, response) => response.write('x')) as RequestListener },
  ])('stops waiting $phase after the time limit', async ({ respond }) => {
    const { client } = await serve(respond)

    expect(await client.request({ ...get, timeout: 50 })).toEqual({ outcome: 'failed', failure: 'timeout' })
  })

  it('stops waiting for a name server after the time limit (RFC 9700 §4.11)', async () => {
    const { client, received } = await serve((_request, response) => response.end(), {
      resolve: () => new Promise(() => {}),
    })

    expect(await client.request({ ...get, timeout: 50 })).toEqual({ outcome: 'failed', failure: 'timeout' })
    expect(received).toHaveLength(0)
  })

  it.each([
    {
      response: 'a switch of protocols',
      head: 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade',
    },
    { response: 'a status that does not exist', head: 'HTTP/1.1 999 Custom\r\nContent-Length: 0' },
  ])('fails at once after $response (RFC 9110 §15)', async ({ head }) => {
    const { client } = await serve((request) => request.socket.write(`${head}\r\n\r\n`))

    expect(await client.request(get)).toEqual({ outcome: 'failed', failure: 'unreachable' })
  })

  it('fails if the certificate is for another host (RFC 9110 §4.3.4)', async () => {
    const { client } = await serve((_request, response) => response.end())

    const result = await client.request({ ...get, url: 'https://other.test/' })

    expect(result).toEqual({ outcome: 'failed', failure: 'unreachable' })
  })

  it('tries the next address of a host if one refuses the connection', async () => {
    const { client } = await serve((_request, response) => response.end('second'), {
      resolve: () => Promise.resolve(['127.0.0.2', '127.0.0.1']),
    })

    expect(await client.request(get)).toMatchObject({ outcome: 'answered', body: 'second' })
  })

  it('fails if no address of the host accepts a connection', async () => {
    const { client, received } = await serve((_request, response) => response.end(), {
      resolve: () => Promise.resolve(['127.0.0.2', '127.0.0.3']),
    })

    expect(await client.request(get)).toEqual({ outcome: 'failed', failure: 'unreachable' })
    expect(received).toEqual([])
  })

  it('sends a request once, although the host has another address, if its connection breaks (RFC 9110 §9.2.2)', async () => {
    const { client, received } = await serve((_request, response) => response.destroy(), {
      resolve: () => Promise.resolve(['127.0.0.1', '127.0.0.1']),
    })

    expect(await client.request(get)).toEqual({ outcome: 'failed', failure: 'unreachable' })
    expect(received).toHaveLength(1)
  })

  it('fails with busy if eight requests to the host are pending', async () => {
    const waiting: (() => void)[] = []
    const { client, received } = await serve((_request, response) => waiting.push(() => response.end()))
    const pending = Array.from({ length: 8 }, () => client.request(get))

    expect(await client.request(get)).toEqual({ outcome: 'failed', failure: 'busy' })

    await expect.poll(() => received.length).toBe(8)
    waiting.forEach((respond) => respond())
    expect((await Promise.all(pending)).map(({ outcome }) => outcome)).toEqual(
      Array.from({ length: 8 }, () => 'answered'),
    )
  })
})

describe('a request whose response body is ignored', () => {
  const post: OutboundRequest = { ...get, method: 'POST', body: 'a=b', responseBody: 'ignored' }

  it('succeeds although the body exceeds the limit', async () => {
    const { client } = await serve((_request, response) => response.writeHead(200).end('x'.repeat(1_000_000)))

    expect(await client.request(post)).toMatchObject({ outcome: 'answered', status: 200, body: '' })
  })

  it('succeeds although the body does not end in time', async () => {
    const { client } = await serve((_request, response) => response.writeHead(200).write('x'))

    expect(await client.request(post)).toMatchObject({ outcome: 'answered', status: 200 })
  })
})

describe('an outbound client with its own limits', () => {
  it('takes a response that is too large for an answer of a healthy host', async () => {
    const limits = { pending: 4, pendingPerHost: 2, breaker: { failures: 3, openFor: 60_000 } }
    const { client } = await serve(
      (request, response) => response.end(request.url === '/jwks' ? 'ok' : 'x'.repeat(1001)),
      {},
      limits,
    )
    for (let count = 0; count < 5; count += 1) await client.request({ ...get, url: 'https://client.test/page' })

    expect(await client.request(get)).toMatchObject({ status: 200 })
  })

  it('forgets the host that failed longest ago when strangers name more than 1,000', async () => {
    const limits = { pending: 4, pendingPerHost: 2, breaker: { failures: 1, openFor: 60_000 } }
    const client = createOutboundClient(() => Promise.reject(new Error('The name does not resolve.')), limits)
    const ask = (host: number) => client.request({ ...get, url: `https://h${String(host)}.test/` })
    for (let host = 0; host <= 1000; host += 1) await ask(host)

    expect([await ask(1000), await ask(0)]).toMatchObject([{ failure: 'circuit_open' }, { failure: 'unreachable' }])
  })

  it('sends no request to a host that failed three times until a minute has passed (RFC 9110 §9.2.2)', async () => {
    let [status, time] = [500, 0]
    const limits = { pending: 4, pendingPerHost: 2, breaker: { failures: 3, openFor: 60_000 }, elapsed: () => time }
    const { client, received } = await serve((_request, response) => response.writeHead(status).end(), {}, limits)
    const outcomes = []
    for (let count = 0; count < 5; count += 1) outcomes.push(await client.request(get))

    expect(outcomes.map((each) => (each.outcome === 'answered' ? each.status : each.failure))).toEqual([
      500,
      500,
      500,
      'circuit_open',
      'circuit_open',
    ])
    expect(received).toHaveLength(3)

    time = 60_000
    const trial = await Promise.all([client.request(get), client.request(get)])
    expect(trial).toMatchObject([{ status: 500 }, { failure: 'circuit_open' }])

    // The host's clock was set back.
    time = 59_000
    expect(await client.request(get)).toMatchObject({ status: 500 })

    ;[status, time] = [200, 120_000]
    expect(await client.request(get)).toMatchObject({ status: 200 })
    expect(await client.request(get)).toMatchObject({ status: 200 })
  })

  it('fails with busy if as many requests to the host are pending as its limits allow', async () => {
    const waiting: (() => void)[] = []
    const limits = { pending: 4, pendingPerHost: 2 }
    const { client } = await serve((_request, response) => waiting.push(() => response.end()), {}, limits)
    const pending = [client.request(get), client.request(get)]

    expect(await client.request(get)).toEqual({ outcome: 'failed', failure: 'busy' })

    await expect.poll(() => waiting.length).toBe(2)
    waiting.forEach((respond) => respond())
    await Promise.all(pending)
  })

  it('fails with busy if as many requests to all hosts are pending as its limits allow', async () => {
    const waiting: (() => void)[] = []
    const respond = () => new Promise<Response>((resolve) => waiting.push(() => resolve(new Response())))
    const client = createOutboundClient(respond, { pending: 2, pendingPerHost: 2 })
    const requestTo = (host: string) => client.request({ ...get, url: `https://${host}/` })
    const pending = [requestTo('one.test'), requestTo('two.test')]

    expect(await requestTo('three.test')).toEqual({ outcome: 'failed', failure: 'busy' })

    waiting.forEach((answer) => answer())
    expect((await Promise.all(pending)).map(({ outcome }) => outcome)).toEqual(['answered', 'answered'])
  })
})

it('cancels the query to a name server that does not respond, and blocks no thread (RFC 9700 §4.11)', async () => {
  const silent = createSocket('udp4')
  await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise((resolve) => silent.close(() => resolve())))
  const { key: _key, cert } = selfSignedCertificate('client.test')
  const fetch = pinnedFetch({ ca: cert, nameServers: [`127.0.0.1:${silent.address().port}`] })
  const client = createOutboundClient(fetch)

  const results = Array.from({ length: 8 }, () => client.request({ ...get, timeout: 100 }))

  expect(process.getActiveResourcesInfo()).not.toContain('GetAddrInfoReqWrap')
  expect(await Promise.all(results)).toEqual(results.map(() => ({ outcome: 'failed', failure: 'timeout' })))
  await expect.poll(() => process.getActiveResourcesInfo()).not.toContain('QueryReqWrap')
})

describe('a host name that resolves to a private address (RFC 9700 §4.11)', () => {
  it.each([
    { addresses: ['127.0.0.1'] },
    { addresses: ['::1'] },
    { addresses: ['93.184.216.34', '127.0.0.1'] },
    { addresses: ['64:ff9b::7f00:1'] },
    { addresses: [] },
  ])('is not connected to: $addresses', async ({ addresses }) => {
    const { client, received } = await serve((_request, response) => response.end(), {
      resolve: () => Promise.resolve(addresses),
      isAllowed: undefined,
    })

    expect(await client.request(get)).toEqual({ outcome: 'failed', failure: 'not_public' })
    expect(received).toHaveLength(0)
  })

  it('is resolved once, so that a second answer of the name server has no effect', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1']]
    let lookups = 0
    const { client } = await serve((_request, response) => response.end('pinned'), {
      resolve: () => Promise.resolve(answers[lookups++] ?? []),
    })

    expect(await client.request(get)).toMatchObject({ body: 'pinned' })
    expect(lookups).toBe(1)
  })
})

it.each([
  'http://client.test/jwks',
  'https://169.254.169.254/',
  'https://[::ffff:169.254.169.254]/',
  'https://0x7f000001/',
  'https://2130706433/',
  'https://localhost/',
  'https://localhost./',
  'https://db.internal/',
  'https://printer.local/',
  'https://user@client.test/',
  'https://client.test:22/',
  'https://client.test/#keys',
  'file:///etc/passwd',
  'not a url',
])('refuses %s without a connection (RFC 9700 §4.11)', async (url) => {
  const { client, received } = await serve((_request, response) => response.end())

  expect(isOutboundUrl(url)).toBe(false)
  expect(await client.request({ ...get, url })).toEqual({ outcome: 'failed', failure: 'not_allowed' })
  expect(received).toHaveLength(0)
})

describe('an origin that the host allows', () => {
  it('is reached at its port and at a private address, over TLS (OIDC Back-Channel Logout §2.5)', async () => {
    const { key, cert } = selfSignedCertificate('rp.test')
    const { origin, received } = await listen(createServer({ key, cert }), 'https://rp.test')
    const fetch = pinnedFetch({ ca: cert, allowedOrigins: [origin], resolve: () => Promise.resolve(['127.0.0.1']) })
    const client = createOutboundClient(fetch, { ...fewRequests, allowedOrigins: [origin] })

    expect(await client.request({ ...get, url: `${origin}/logout` })).toMatchObject({
      outcome: 'answered',
      status: 204,
    })
    expect(received).toEqual([new URL(origin).host])
  })

  it('on loopback is reached without TLS and without a name server', async () => {
    const { origin, received } = await listen(createHttpServer(), 'http://127.0.0.1')
    const client = createOutboundClient(undefined, { ...fewRequests, allowedOrigins: [origin] })

    expect(await client.request({ ...get, url: `${origin}/logout` })).toMatchObject({
      outcome: 'answered',
      status: 204,
    })
    expect(await client.request({ ...get, url: `${origin}/#x` })).toMatchObject({ failure: 'not_allowed' })
    expect(await client.request({ ...get, url: origin.replace('http://', 'http://u:p@') })).toMatchObject({
      failure: 'not_allowed',
    })
    expect(received).toHaveLength(1)
  })

  it('at localhost is reached without a name server (RFC 6761 §6.3)', async () => {
    const { origin, received } = await listen(createHttpServer(), 'http://localhost')
    const fetch = pinnedFetch({
      allowedOrigins: [origin],
      resolve: () => Promise.reject(new Error('The test must not query a name server.')),
    })
    const client = createOutboundClient(fetch, { ...fewRequests, allowedOrigins: [origin] })

    expect(await client.request({ ...get, url: `${origin}/logout` })).toMatchObject({
      outcome: 'answered',
      status: 204,
    })
    expect(received).toEqual([new URL(origin).host])
  })

  it.each(['http', 'https'])(
    'is not requested at localhost when its name has no address: %s (RFC 9700 §4.11)',
    async (scheme) => {
      const { key, cert } = selfSignedCertificate('rp.test')
      const listener = scheme === 'http' ? createHttpServer() : createServer({ key, cert })
      const { origin, received } = await listen(listener, `${scheme}://rp.test`)
      const fetch = pinnedFetch({ ca: cert, allowedOrigins: [origin], nameServers: [await startEmptyNameServer()] })
      const client = createOutboundClient(fetch, { ...fewRequests, allowedOrigins: [origin] })

      expect(await client.request({ ...get, url: `${origin}/logout` })).toMatchObject({ outcome: 'failed' })
      await expect(fetch?.(`${origin}/logout`)).rejects.toThrow('The host name has no address.')
      expect(received).toEqual([])
    },
  )

  it('does not change the rules for other origins: a public name with a private address is refused (RFC 9700 §4.11)', async () => {
    const fetch = pinnedFetch({
      allowedOrigins: ['https://rp.test:8443'],
      resolve: () => Promise.resolve(['127.0.0.1']),
    })
    const client = createOutboundClient(fetch, { ...fewRequests, allowedOrigins: ['https://rp.test:8443'] })

    expect(await client.request({ ...get, url: 'https://rp.test/' })).toMatchObject({ failure: 'not_public' })
    expect(await client.request({ ...get, url: 'https://rp.test:8444/' })).toMatchObject({ failure: 'not_allowed' })
  })
})

const fewRequests = { pending: 4, pendingPerHost: 2 }

/**
 * Starts a server on 127.0.0.1 that responds with 204.
 * @returns its origin, with the scheme and host of `address`, and the Host headers that it has received.
 */
async function listen(listener: Server, address: string) {
  const received: (string | undefined)[] = []
  listener.on('request', (request: IncomingMessage, response: ServerResponse) => {
    received.push(request.headers.host)
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    listener.close()
    listener.closeAllConnections()
  })
  return { origin: `${address}:${(listener.address() as AddressInfo).port}`, received }
}

/** Starts a name server that knows no host name. @returns its address. */
async function startEmptyNameServer(): Promise<string> {
  const server = createSocket('udp4')
  server.on('message', (query, { port, address }) => {
    // RFC 1035 §4.1.1: a response with the code 3, Name Error.
    const response = Buffer.from(query)
    response.writeUInt16BE(0x8183, 2)
    server.send(response, port, address)
  })
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  return `127.0.0.1:${server.address().port}`
}

/** Starts a client's server for https://client.test on 127.0.0.1, and creates an outbound client that reaches it. */
async function serve(respond: RequestListener, options: PinnedFetchOptions = {}, limits?: OutboundLimits) {
  const { key, cert } = selfSignedCertificate('client.test')
  const received: IncomingMessage[] = []
  const listener = createServer({ key, cert }, (request, response) => {
    received.push(request)
    respond(request, response)
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise((resolve) => {
        listener.close(() => resolve())
        listener.closeAllConnections()
      }),
  )

  const { port } = listener.address() as AddressInfo
  const local = { ca: cert, port, isAllowed: () => true, resolve: () => Promise.resolve(['127.0.0.1']) }
  return { client: createOutboundClient(pinnedFetch({ ...local, ...options }), limits), received }
}
