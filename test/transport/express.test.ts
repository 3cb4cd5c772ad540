import { buffer } from 'node:stream/consumers'
import { createServer, type RequestListener } from 'node:http'
import { toExpress, toExpressEndpoint } from '@mintmark/adapter-express'
import type { Endpoint, ServerResponse } from '@mintmark/core/http'
import { json } from '@mintmark/core/http'
import express, {
  Router,
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express'
import { describe, expect, test } from 'vitest'
import { aDeferred } from './deferred.ts'
import { listenOn, type Host } from './host.ts'
import { requestText, sendBytes, statusesIn } from './raw-client.ts'
import { aService } from './recording-service.ts'

const form = 'application/x-www-form-urlencoded'

describe('a body that other code has read', () => {
  const fix = /in front of express\.json\(\), express\.urlencoded\(\)/

  test.each([
    ['express.urlencoded()', express.urlencoded(), [form, 'grant_type=x']],
    ['express.json()', express.json(), ['application/json', '{}']],
    ['express.raw()', express.raw({ type: () => true }), ['application/octet-stream', 'x']],
    ['express.text()', express.text(), ['text/plain', 'x']],
    ['a parser that ignores the media type of the request', express.json(), [form, 'grant_type=x']],
    ['a parser that skips an empty body', express.json(), [form, '']],
    ['a body reader of the host', readAll, [form, 'grant_type=x']],
    ['a decoder of the host', decode, [form, 'grant_type=x']],
  ] as const)('is not handled, and the error says how to fix the host: %s', async (_, parser, [contentType, body]) => {
    const service = aService()
    const host = await aHost((app) => app.use(parser, toExpress(service)))

    const response = await fetch(`${host.url}/token`, {
      method: 'POST',
      headers: { 'Content-Type': contentType },
      body,
    })

    expect(response.status).toBe(500)
    expect(await response.text()).toMatch(fix)
    expect(host.errors).toHaveLength(1)
    expect(service.received).toEqual([])
  })

  test.each([
    ['a parser after the adapter', (app: Express, handler: RequestHandler) => app.use(handler, express.json())],
    ['other code that read an empty body', (app: Express, handler: RequestHandler) => app.use(readAll, handler)],
    ['a platform that stores a copy', (app: Express, handler: RequestHandler) => app.use(storeCopy, handler)],
  ])('causes no error: %s', async (_, mount) => {
    const service = aService()
    const host = await aHost((app) => mount(app, toExpress(service)))

    expect((await fetch(`${host.url}/token`, { method: 'POST' })).status).toBe(200)
    expect(host.errors).toEqual([])
  })

  test('a GET works after a parser', async () => {
    const host = await aHost((app) => app.use(express.json(), toExpress(aService())))

    expect((await fetch(`${host.url}/token`)).status).toBe(200)
  })

  test('a parser after the adapter still parses bodies for the host', async () => {
    const host = await aHost((app) => {
      app.use(toExpress(aService()), express.json())
      app.post('/echo', (request, response) => {
        response.json(request.body)
      })
    })

    const response = await fetch(`${host.url}/echo`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '[1]',
    })

    expect(await response.json()).toEqual([1])
  })
})

test('a body parser in front of a page of the host causes an error that says how to fix the host', async () => {
  const received: unknown[] = []
  const page: Endpoint = (request) => {
    received.push(request)
    return Promise.resolve(json(200, {}))
  }
  const host = await aHost((app) => app.all('/login', express.urlencoded(), toExpressEndpoint(aService(), page)))

  const response = await fetch(`${host.url}/login`, { method: 'POST', body: new URLSearchParams({ a: 'b' }) })

  expect(response.status).toBe(500)
  expect(await response.text()).toContain('the pages of the host that it serves')
  expect(received).toEqual([])
})

test('a page below a mount path receives the full path of the request', async () => {
  const seen: string[] = []
  const page: Endpoint = (request) => {
    seen.push(request.url.href)
    return Promise.resolve(json(200, {}))
  }
  const host = await aHost((app) => app.use('/id', Router().get('/login', toExpressEndpoint(aService(), page))))

  await fetch(`${host.url}/id/login`)

  expect(seen).toEqual(['https://as.test/id/login'])
})

test('a page mounted at every path never receives a target that parsing would change', async () => {
  const seen: string[] = []
  const page: Endpoint = (request) => {
    seen.push(request.url.href)
    return Promise.resolve(json(200, {}))
  }
  const host = await aHost((app) => app.use('/', toExpressEndpoint(aService(), page)))

  const transcript = await sendBytes(host.port, requestText('GET /x/../login'))

  expect(statusesIn(transcript)).toEqual([404])
  expect(seen).toEqual([])
})

test("the Express setting 'trust proxy' does not change the URL that a service receives", async () => {
  const service = aService()
  const host = await aHost((app) => {
    app.set('trust proxy', true)
    app.use(toExpress(service))
  })

  await sendBytes(host.port, requestText('GET /token', ['X-Forwarded-Host: evil.test', 'X-Forwarded-Proto: http']))

  expect(service.received.map((request) => request.url.href)).toEqual(['https://as.test/token'])
})

test.each([
  ['at the root', (app: Express, handler: RequestHandler) => app.use(handler)],
  ['below a path', (app: Express, handler: RequestHandler) => app.use('/id', handler)],
  ['at both of its prefixes', (app: Express, handler: RequestHandler) => app.use(['/id', '/.well-known'], handler)],
  ['in a router below a path', (app: Express, handler: RequestHandler) => app.use('/id', Router().use(handler))],
])('a service with a path works when mounted %s (RFC 8414 §3.1)', async (where, mount) => {
  const issuer = aService({ path: '/id/token' })
  const metadata = aService({ path: '/.well-known/oauth-authorization-server/id' })
  const host = await aHost((app) => mount(app, toExpress(issuer, metadata)))

  const token = await fetch(`${host.url}/id/token`, { method: 'POST' })
  const unprefixed = await fetch(`${host.url}/token`, { method: 'POST' })
  const doubled = await fetch(`${host.url}/id/id/token`, { method: 'POST' })
  const wellKnown = await fetch(`${host.url}/.well-known/oauth-authorization-server/id`)

  expect([token.status, unprefixed.status, doubled.status]).toEqual([200, 404, 404])
  // Express hides everything outside a middleware's mount path.
  expect(wellKnown.status).toBe(where === 'at the root' || where === 'at both of its prefixes' ? 200 : 404)
  expect(issuer.received.map((request) => request.url.href)).toEqual(['https://as.test/id/token'])
})

test('a mount path that the issuer does not have is an error that names both fixes, not a silent 404', async () => {
  const service = aService()
  const host = await aHost((app) => app.use('/id', toExpress(service)))

  const response = await fetch(`${host.url}/id/token`, { method: 'POST' })

  expect(response.status).toBe(500)
  expect(await response.text()).toBe(
    'toExpress(…) is mounted below /id, but the path of the issuer does not contain /id. Mount it with app.use(toExpress(…)), or add /id to the issuer.',
  )
  expect((await fetch(`${host.url}/id/hello`)).status).toBe(404)
  expect(service.received).toEqual([])
})

test.each(['/id/id/token', '/id/.well-known/oauth-authorization-server/id'])(
  'a service mounted at /id leaves paths below /id that it does not serve to the host: %s',
  async (path) => {
    const paths = ['/id/token', '/.well-known/oauth-authorization-server/id']
    const service = { ...aService(), serves: (candidate: string) => paths.includes(candidate) }
    const host = await aHost((app) => app.use('/id', toExpress(service)))

    expect((await fetch(`${host.url}${path}`)).status).toBe(404)
    expect(host.errors).toEqual([])
  },
)

test("the service's caching and framing headers replace the host's; the host's other headers stay", async () => {
  const headers = [
    ['Cache-Control', 'no-store'],
    ['content-security-policy', "default-src 'none'"],
  ] as const
  const host = await aHost((app) =>
    app.use(
      setHeader('Cache-Control', 'public'),
      setHeader('Content-Security-Policy', "form-action 'self'"),
      setHeader('Strict-Transport-Security', 'max-age=1'),
      toExpress(aService({ endpoint: respondWith({ headers }) })),
    ),
  )

  const response = await fetch(`${host.url}/token`)

  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('content-security-policy')).toBe("default-src 'none'")
  expect(response.headers.get('strict-transport-security')).toBe('max-age=1')
})

test('the host may stop waiting and send its own response', async () => {
  const work = aDeferred<ServerResponse>()
  const respondEarly: RequestHandler = (_request, response, next) => {
    next()
    response.status(503).send('later')
  }
  const host = await aHost((app) =>
    app.use('/token', respondEarly, toExpress(aService({ endpoint: () => work.promise }))),
  )

  const response = await fetch(`${host.url}/token`)
  work.resolve(json(200, {}))
  await work.promise

  expect(response.status).toBe(503)
  expect(await response.text()).toBe('later')
  expect((await fetch(`${host.url}/other`)).status).toBe(404)
  expect(host.errors).toEqual([])
})

const readAll: RequestHandler = async (request, _response, next) => {
  await buffer(request)
  next()
}

const decode: RequestHandler = (request, _response, next) => {
  request.setEncoding('utf8')
  next()
}

const storeCopy: RequestHandler = (request, _response, next) => {
  request.body = Buffer.alloc(0)
  next()
}

const respondWith =
  (response: Partial<ServerResponse>): Endpoint =>
  () =>
    Promise.resolve({ status: 200, headers: [], body: undefined, ...response })

const setHeader =
  (name: string, value: string): RequestHandler =>
  (_request, response, next) => {
    response.setHeader(name, value)
    next()
  }

/** Starts an Express application that listens on its own port for the duration of the test. */
async function aHost(mount: (app: Express) => void): Promise<Host> {
  const errors: unknown[] = []
  const app = express()
  mount(app)
  app.use((_request: Request, response: Response) => {
    response.status(404).send('nothing here')
  })
  // oxlint-disable-next-line eslint/max-params -- Express recognizes an error handler by its four parameters.
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    errors.push(error)
    response.status(500).send(error instanceof Error ? error.message : '')
  })
  // An Express application is a request listener, but its types only accept Express's own request.
  return { ...(await listenOn(createServer(app as RequestListener))), errors }
}
