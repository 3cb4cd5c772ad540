import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import {
  createResourceServer,
  protectExpress,
  protectFetch,
  type ResourceServerOptions,
} from '@mintmark/resource-server'
import express from 'express'
import { customFetch, processResourceDiscoveryResponse, resourceDiscoveryRequest } from 'oauth4webapi'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { startFeedSite, type FeedSite } from '../support/feed-site.ts'
import { send, type Reply, type Sent } from '../support/send.ts'
import { tokensFor } from '../support/token-calls.ts'

/** An API with `GET /v1/orders`, which needs api.read, and `POST /v1/orders`, which needs api.write too. */
interface RunningApi {
  send(sent: Sent): Promise<Reply>
}

let site: FeedSite
let token: string
beforeAll(async () => {
  site = await startFeedSite()
  token = (await tokensFor(site, 'A', { scope: 'openid api.read', resource: 'https://api.test' })).access_token
})
afterAll(() => site.close())

const optionsOf = (change: Partial<ResourceServerOptions>): ResourceServerOptions => ({
  issuer: site.issuer,
  audience: 'https://api.test',
  scopes: ['api.read', 'api.write'],
  clock: site.preciseClock,
  fetch: site.fetch,
  ...change,
})

async function listen(listener: Server): Promise<RunningApi> {
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => void (await new Promise((resolve) => listener.close(resolve))))
  const { port } = listener.address() as AddressInfo
  return { send: (sent) => send(port, sent) }
}

function startExpress(change: Partial<ResourceServerOptions> = {}): Promise<RunningApi> {
  const guard = protectExpress(createResourceServer(optionsOf(change)))
  const orders = express
    .Router()
    .get('/orders', guard.require('api.read'), (request, response) => {
      const { subject, clientId, scopes } = guard.token(request)
      response.json({ subject, clientId, scopes })
    })
    .post('/orders', guard.require('api.read', 'api.write'), (_request, response) => void response.end('written'))
    .get('/unguarded', (request, response) => void response.json(guard.token(request)))
    .get('/broken', guard.requireAnyToken(), () => {
      throw new TypeError('broken handler')
    })
  return listen(createServer(express().use(guard.metadata).use('/v1', orders).use(answerFailure)))
}

const answerFailure: express.ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  response.status(500).send(String(error))
}

/** The Fetch form of the same API, behind a Node server. */
function startFetch(change: Partial<ResourceServerOptions> = {}): Promise<RunningApi> {
  const guard = protectFetch(createResourceServer(optionsOf(change)))
  const readOrders = guard.require(['api.read'], (_request, { subject, clientId, scopes }) =>
    Response.json({ subject, clientId, scopes }),
  )
  const writeOrders = guard.require(['api.read', 'api.write'], () => new Response('written'))
  const handle = (request: Request): Promise<Response> =>
    request.method === 'POST' ? writeOrders(request) : readOrders(request)

  return listen(
    createServer((incoming, outgoing) => {
      const headers = new Headers()
      for (let at = 0; at < incoming.rawHeaders.length; at += 2)
        headers.append(incoming.rawHeaders[at] ?? '', incoming.rawHeaders[at + 1] ?? '')
      const request = new Request(`https://api.test${incoming.url}`, { method: incoming.method ?? 'GET', headers })
      void (async () => {
        const response = guard.metadata(request) ?? (await handle(request))
        outgoing.writeHead(response.status, Object.fromEntries(response.headers))
        outgoing.end(await response.text())
      })()
    }),
  )
}

const metadataParameter = 'resource_metadata="https://api.test/.well-known/oauth-protected-resource"'

describe.each([
  ['Express', startExpress],
  ['Fetch', startFetch],
] as const)('an API on %s', (_, start) => {
  const get = async (
    headers: Record<string, string> = {},
    change: Partial<ResourceServerOptions> = {},
  ): Promise<Reply> => (await start(change)).send({ path: '/v1/orders', headers })

  it('accepts an access token with the required scope (RFC 9068 §4)', async () => {
    const reply = await get({ authorization: `Bearer ${token}` })

    expect([reply.status, reply.json]).toEqual([200, { subject: 'U1', clientId: 'A', scopes: ['openid', 'api.read'] }])
  })

  it('answers a request without a token with a challenge that has no error (RFC 6750 §3.1)', async () => {
    for (const headers of [{}, { authorization: 'Basic QTpi' }]) {
      const reply = await get(headers)

      expect([reply.status, reply.json]).toEqual([401, {}])
      expect(reply.header('www-authenticate')).toBe(`Bearer scope="api.read", ${metadataParameter}`)
      expect(reply.header('cache-control')).toBe('no-store')
    }
  })

  it('answers 401 invalid_token for an invalid token (RFC 6750 §3.1)', async () => {
    const reply = await get({ authorization: `Bearer ${token.slice(0, -4)}` })

    expect([reply.status, reply.json['error']]).toEqual([401, 'invalid_token'])
    expect(reply.header('www-authenticate')).toContain('Bearer error="invalid_token"')
  })

  it('answers 401 invalid_token for a token of another API (RFC 9068 §4)', async () => {
    const reply = await get({ authorization: `Bearer ${token}` }, { audience: 'https://other.test' })

    expect([reply.status, reply.json['error']]).toEqual([401, 'invalid_token'])
  })

  it('answers 403 insufficient_scope and names the required scope (RFC 6750 §3.1)', async () => {
    const api = await start()

    const reply = await api.send({ method: 'POST', path: '/v1/orders', headers: { authorization: `Bearer ${token}` } })

    expect([reply.status, reply.json['error']]).toEqual([403, 'insufficient_scope'])
    expect(reply.header('www-authenticate')).toContain('scope="api.read api.write"')
  })

  it('does not read a token from the URL (RFC 9700 §4.3.2)', async () => {
    const api = await start()

    const reply = await api.send({ path: `/v1/orders?access_token=${token}` })

    expect([reply.status, reply.json]).toEqual([401, {}])
  })

  it('answers 503 while tokens cannot be checked (RFC 9110 §15.6.4)', async () => {
    const reply = await get(
      { authorization: `Bearer ${token}` },
      { fetch: () => Promise.reject(new TypeError('refused')) },
    )

    expect([reply.status, reply.json['error'], reply.header('retry-after')]).toEqual([
      503,
      'temporarily_unavailable',
      '5',
    ])
    expect(reply.header('www-authenticate')).toBeUndefined()
    expect(reply.text).not.toContain('refused')
  })

  it('answers as usual when the log fails', async () => {
    const onRefusal = (): never => {
      throw new Error('disk full')
    }

    expect((await get({}, { onRefusal })).status).toBe(401)
  })

  it('serves its metadata where clients look for it (RFC 9728 §3.1, §3.3)', async () => {
    const api = await start()
    const fetchMetadata = async (url: string): Promise<Response> => {
      const reply = await api.send({ path: new URL(url).pathname })
      return new Response(reply.text, {
        status: reply.status,
        headers: { 'content-type': reply.header('content-type') ?? '' },
      })
    }

    const resource = new URL('https://api.test')
    const response = await resourceDiscoveryRequest(resource, { [customFetch]: fetchMetadata })
    const found = await processResourceDiscoveryResponse(resource, response)

    expect(found).toMatchObject({ authorization_servers: [site.issuer], scopes_supported: ['api.read', 'api.write'] })
    const reply = await api.send({ path: '/.well-known/oauth-protected-resource' })
    expect([reply.status, reply.header('access-control-allow-origin')]).toEqual([200, '*'])
    const preflight = await api.send({
      method: 'OPTIONS',
      path: '/.well-known/oauth-protected-resource',
      headers: {
        origin: 'https://spa.test',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'mcp-protocol-version',
      },
    })
    expect([preflight.status, preflight.header('access-control-allow-origin')]).toEqual([204, '*'])
    expect(preflight.header('access-control-allow-headers')).toBe('*')
    const posted = await api.send({ method: 'POST', path: '/.well-known/oauth-protected-resource' })
    expect([401, 404, 405]).toContain(posted.status)
  })
})

describe('an API on Express', () => {
  it('answers 400 to two Authorization headers, even though Node shows only the first (RFC 9110 §5.3)', async () => {
    const api = await startExpress()
    const headers = { authorization: [`Bearer ${token}`, 'Bearer x'] as unknown as string }

    const reply = await api.send({ path: '/v1/orders', headers })

    expect([reply.status, reply.json['error']]).toEqual([400, 'invalid_request'])
  })

  it('a handler without a guard in front of it fails, because it has no token', async () => {
    const api = await startExpress()

    const reply = await api.send({ path: '/v1/unguarded', headers: { authorization: `Bearer ${token}` } })

    expect([reply.status, reply.text.includes('guard.require')]).toEqual([500, true])
  })

  it("an exception of a handler reaches the host's error handler", async () => {
    const api = await startExpress()

    const reply = await api.send({ path: '/v1/broken', headers: { authorization: `Bearer ${token}` } })

    expect([reply.status, reply.text]).toEqual([500, 'TypeError: broken handler'])
  })
})
