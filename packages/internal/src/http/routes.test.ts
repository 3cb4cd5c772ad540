import { describe, expect, test } from 'vitest'
import { readyResponse, type ServerRequest } from './message.ts'
import { createRouter } from './routes.ts'
import type { Endpoint } from './service.ts'

test('throws at start-up when two routes have the same path', () => {
  const route = { path: '/token', methods: {}, renderError: () => ({ status: 500, headers: [], body: undefined }) }
  const answer = () => ({ status: 404, headers: [], body: undefined })
  const options = {
    origin: 'https://as.test',
    bodyLimit: 1,
    tooLarge: answer,
    notFound: answer,
    methodNotAllowed: answer,
  }

  expect(() => createRouter({ ...options, routes: [route, route] })).toThrow('same path')
})

describe('serves', () => {
  test.each(['/token/', '/TOKEN', '//token', '/%74oken', '/token;x', '/toke', '/', '', '__proto__', 'constructor'])(
    'returns false for %j, which is not /token',
    (path) => {
      expect(aRouter().serves(path)).toBe(false)
    },
  )

  test('returns true for a path of the service', () => {
    expect(aRouter().serves('/token')).toBe(true)
  })
})

describe('handle', () => {
  test('answers the method of the request', async () => {
    expect(await aRouter().handle(aRequest('POST', '/both'))).toMatchObject({ status: 200, body: 'POST é' })
    expect(await aRouter().handle(aRequest('GET', '/both'))).toMatchObject({ status: 200, body: 'GET é' })
  })

  test.each([
    ['GET', '/token', 'POST'],
    ['HEAD', '/token', 'POST'],
    ['OPTIONS', '/token', 'POST'],
    ['post', '/token', 'POST'],
    ['DELETE', '/both', 'GET, HEAD, POST'],
    ['constructor', '/both', 'GET, HEAD, POST'],
    ['__proto__', '/both', 'GET, HEAD, POST'],
  ])('refuses %s %s with Allow: %s (RFC 9110 §15.5.6)', async (method, path, allow) => {
    const response = await aRouter().handle(aRequest(method, path))

    expect(response).toEqual({ status: 405, headers: [['Allow', allow]], body: undefined })
  })

  test('answers HEAD like GET, with the Content-Length but without the body (RFC 9110 §9.3.2)', async () => {
    const response = await aRouter().handle(aRequest('HEAD', '/both'))

    expect(response).toEqual({ status: 200, headers: [['Content-Length', '6']], body: undefined })
  })

  test('sends the number of bytes of a binary body as its Content-Length (RFC 9110 §9.3.2)', async () => {
    const response = await aRouter().handle(aRequest('HEAD', '/bytes'))

    expect(response.headers).toEqual([['Content-Length', '3']])
  })

  test('answers HEAD without Content-Length when GET has no body (RFC 9110 §9.3.2)', async () => {
    const response = await aRouter().handle(aRequest('HEAD', '/empty'))

    expect(response).toEqual({ status: 303, headers: [], body: undefined })
  })

  test('answers 404 at a path that it does not serve', async () => {
    expect((await aRouter().handle(aRequest('POST', '/token/'))).status).toBe(404)
  })

  test('returns the same ready response each time it shares one with all origins (Fetch §3.3.3)', async () => {
    const request = aRequest('GET', '/ready')
    const router = aRouter()

    const response = await router.handle(request)

    expect(response).toEqual({ status: 200, headers: [['Access-Control-Allow-Origin', '*']], body: 'ready' })
    expect(await router.handle(request)).toBe(response)
  })

  test('shares each response with all origins without changing the next one (Fetch §3.3.3)', async () => {
    const router = aRouter()

    expect(await router.handle(aRequest('POST', '/ready'))).toMatchObject({
      headers: [['Access-Control-Allow-Origin', '*']],
      body: 'POST é',
    })
    expect(await router.handle(aRequest('HEAD', '/ready'))).toMatchObject({
      headers: [
        ['Access-Control-Allow-Origin', '*'],
        ['Content-Length', '5'],
      ],
    })
  })

  test.each(['/throws', '/rejects'])('renders the error that an endpoint threw: %s', async (path) => {
    expect(await aRouter().handle(aRequest('POST', path))).toEqual({
      status: 400,
      headers: [],
      body: `no: POST ${path}`,
    })
  })
})

const echo: Endpoint = (request) =>
  Promise.resolve({ status: 200, headers: [], body: `${request.method === 'HEAD' ? 'GET' : request.method} é` })

const ready = readyResponse({ status: 200, headers: [], body: 'ready' })

function aRouter() {
  const routes = {
    '/token': { POST: echo },
    '/both': { GET: echo, POST: echo },
    '/bytes': { GET: () => Promise.resolve({ status: 200, headers: [], body: Uint8Array.of(1, 2, 3) }) },
    '/ready': { GET: () => Promise.resolve(ready), POST: echo },
    '/empty': { GET: () => Promise.resolve({ status: 303, headers: [], body: undefined }) },
    '/throws': {
      POST: () => {
        throw new Error('no')
      },
    },
    '/rejects': { POST: () => Promise.reject(new Error('no')) },
  } satisfies Record<string, Record<string, Endpoint>>

  return createRouter({
    origin: 'https://as.test',
    bodyLimit: 16_384,
    tooLarge: () => ({ status: 413, headers: [], body: undefined }),
    routes: Object.entries(routes).map(([path, methods]) => ({
      path,
      methods,
      ...(path === '/ready' && { crossOrigin: 'any_origin' }),
      renderError: (error, request) => ({
        status: 400,
        headers: [],
        body: `${error instanceof Error ? error.message : ''}: ${request.method} ${request.url.pathname}`,
      }),
    })),
    notFound: () => ({ status: 404, headers: [], body: undefined }),
    methodNotAllowed: () => ({ status: 405, headers: [], body: undefined }),
  })
}

const aRequest = (method: string, path: string): ServerRequest => ({
  method,
  url: new URL(`https://as.test${path}`),
  headers: new Map(),
  repeatedHeaders: new Set(),
  host: undefined,
  body: new Uint8Array(),
})
