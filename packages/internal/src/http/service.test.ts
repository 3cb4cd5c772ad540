import { expect, it } from 'vitest'

import { json, type ReadBody, type ReceivedRequest } from './message.ts'
import { createService } from './service.ts'

it.each([
  ['a caller who is not authenticated', { authorization: 'wrong' }, '/things', 401],
  ['a caller over its rate limit', { authorization: 'busy' }, '/things', 429],
  ['a caller without the authorization that the route needs', { authorization: 'guest' }, '/things', 403],
  ['a path that does not exist', { authorization: 'admin' }, '/nothing', 404],
  ['a method that the path does not have', { authorization: 'admin' }, '/reads', 405],
  ['a body whose declared length is too large', { authorization: 'admin', 'content-length': '17' }, '/things', 413],
])('refuses %s before it reads the body', async (_, headers, path, status) => {
  const { request, reads } = aRequest(path, headers)

  const response = await aService().handle(request)

  expect(response.status).toBe(status)
  expect(reads).toEqual([])
})

it('reads the body once, up to the limit of the route', async () => {
  const { request, reads } = aRequest('/things', { authorization: 'admin' })

  const response = await aService().handle(request)

  expect(response).toMatchObject({ status: 200, body: '{"length":3}' })
  expect(reads).toEqual([16])
})

it('answers 413 to a body that turns out to be too large (RFC 9110 §15.5.14)', async () => {
  const { request } = aRequest('/things', { authorization: 'admin' }, () => Promise.resolve('too_large'))

  const response = await aService().handle(request)

  expect(response.status).toBe(413)
  expect(response.headers).toContainEqual(['RateLimit', 'of admin'])
  expect(response.headers).toContainEqual(['Access-Control-Allow-Origin', '*'])
})

it('passes the request of the host to the endpoint', async () => {
  const { request } = aRequest('/host', { authorization: 'admin' })

  expect(await aService().handle(request)).toMatchObject({ body: '{"host":"express"}' })
})

class Refused extends Error {
  readonly status: number
  constructor(status: number) {
    super()
    this.status = status
  }
}

const aService = () =>
  createService<string, undefined>({
    origin: 'https://as.test',
    bodyLimit: 16,
    tooLarge: () => json(413, {}),
    serves: () => true,
    find: ({ url }) => {
      if (url.pathname === '/reads') {
        return {
          methods: new Map([['GET', () => Promise.resolve(json(200, {}))]]),
          template: url.pathname,
          details: undefined,
        }
      }
      if (url.pathname === '/host') {
        return {
          methods: new Map([['POST', ({ host }) => Promise.resolve(json(200, { host }))]]),
          template: url.pathname,
          details: undefined,
        }
      }
      if (url.pathname !== '/things') return undefined
      return {
        methods: new Map([['POST', ({ body }) => Promise.resolve(json(200, { length: body.length }))]]),
        template: url.pathname,
        crossOrigin: 'any_origin',
        details: undefined,
      }
    },
    authenticate: ({ headers }) => {
      const caller = headers.get('authorization') ?? ''
      return caller === 'wrong' ? Promise.reject(new Refused(401)) : Promise.resolve(caller)
    },
    admit: (caller) =>
      Promise.resolve({
        headers: [['RateLimit', `of ${caller}`]],
        refusal: caller === 'busy' ? new Refused(429) : undefined,
      }),
    authorize: ({ caller }) => {
      if (caller === 'guest') throw new Refused(403)
    },
    notFound: () => json(404, {}),
    methodNotAllowed: () => json(405, {}),
    renderError: (error) => json(error instanceof Refused ? error.status : 500, {}),
  })

function aRequest(path: string, headers: Readonly<Record<string, string>>, read?: ReadBody) {
  const reads: number[] = []
  const body: ReadBody = (limit) => {
    reads.push(limit)
    return read?.(limit) ?? Promise.resolve(Uint8Array.of(1, 2, 3))
  }
  const request: ReceivedRequest = {
    method: 'POST',
    url: new URL(`https://as.test${path}`),
    headers: new Map(Object.entries(headers)),
    repeatedHeaders: new Set(),
    host: 'express',
    body,
  }
  return { request, reads }
}
