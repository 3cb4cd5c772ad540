import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage, type ServerResponse as OutgoingMessage } from 'node:http'
import type { Endpoint, ServerResponse } from '@mintmark/core/http'
import { json } from '@mintmark/core/http'
import type { RequestHandler } from 'express'
import { describe, expect, test } from 'vitest'
import { toExpress, toExpressEndpoint } from '../src/index.ts'
import { aDeferred } from './deferred.ts'
import { aHost } from './host.ts'
import { requestText, sendBytes, statusesIn } from './raw-client.ts'
import { aService } from './recording-service.ts'

test('status, headers and body are written as given; the length counts bytes', async () => {
  const host = await aHost((app) => app.use(toExpress(aService({ endpoint: answering({ status: 418, headers: [['X-Mark', 'yes']], body: 'é' }) }))))

  const response = await fetch(`${host.url}/token`)

  expect(response.status).toBe(418)
  expect(response.headers.get('x-mark')).toBe('yes')
  expect(response.headers.get('content-length')).toBe('2')
  expect(await response.text()).toBe('é')
})

test('a body of bytes is written unchanged', async () => {
  const body = Uint8Array.of(0, 255, 128, 13, 10)
  const host = await aHost((app) => app.use(toExpress(aService({ endpoint: answering({ body }) }))))

  const response = await fetch(`${host.url}/token`)

  expect(new Uint8Array(await response.arrayBuffer())).toEqual(body)
})

test('RFC 9110 §8.6: no body and an empty body both have the length 0', async () => {
  for (const body of [undefined, '']) {
    const host = await aHost((app) => app.use(toExpress(aService({ endpoint: answering({ status: 303, headers: [['Location', '/x']], body }) }))))

    const response = await fetch(`${host.url}/token`, { redirect: 'manual' })

    expect(response.headers.get('content-length')).toBe('0')
  }
})

test('RFC 9110 §8.6: 204 has neither body nor length', async () => {
  const host = await aHost((app) => app.use(toExpress(aService({ endpoint: answering({ status: 204, body: undefined }) }))))

  const transcript = await sendBytes(host.port, requestText('GET /token'))

  expect(statusesIn(transcript)).toEqual([204])
  expect(transcript.toLowerCase()).not.toContain('content-length')
  expect(transcript.endsWith('\r\n\r\n')).toBe(true)
})

test.each([
  ['a service', (endpoint: Endpoint) => toExpress(aService({ endpoint }))],
  ['a page of the host', (endpoint: Endpoint) => toExpressEndpoint(aService(), endpoint)],
])('RFC 9110 §9.3.2: %s answers HEAD with the headers of GET and no body', async (_, handlerOf) => {
  const host = await aHost((app) => app.all('/token', handlerOf(answering({ body: 'é!' }))), { rejectNonStandardBodyWrites: true })

  const transcript = await sendBytes(host.port, requestText('HEAD /token'))

  expect(statusesIn(transcript)).toEqual([200])
  expect(transcript).toMatch(/^Content-Length: 3\r$/m)
  expect(transcript.endsWith('\r\n\r\n')).toBe(true)
  expect(host.errors).toEqual([])
})

test('RFC 6265 §3: every cookie has a header of its own, beside those of the host', async () => {
  const headers = [['Set-Cookie', 'a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT'], ['set-cookie', 'b=2']] as const
  const host = await aHost((app) => app.use(setting('Set-Cookie', 'host=0'), toExpress(aService({ endpoint: answering({ headers }) }))))

  const response = await fetch(`${host.url}/token`)

  expect(response.headers.getSetCookie()).toEqual(['host=0', 'a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2'])
})

test('what the service says of caching and framing replaces what the host said; the rest of the host stays', async () => {
  const headers = [['Cache-Control', 'no-store'], ['content-security-policy', "default-src 'none'"]] as const
  const host = await aHost((app) =>
    app.use(
      setting('Cache-Control', 'public'),
      setting('Content-Security-Policy', "form-action 'self'"),
      setting('Strict-Transport-Security', 'max-age=1'),
      toExpress(aService({ endpoint: answering({ headers }) })),
    ),
  )

  const response = await fetch(`${host.url}/token`)

  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('content-security-policy')).toBe("default-src 'none'")
  expect(response.headers.get('strict-transport-security')).toBe('max-age=1')
})

test('headers of one name are all sent', async () => {
  const headers = [['WWW-Authenticate', 'Basic'], ['WWW-Authenticate', 'Bearer']] as const
  const host = await aHost((app) => app.use(toExpress(aService({ endpoint: answering({ status: 401, headers }) }))))

  expect((await fetch(`${host.url}/token`)).headers.get('www-authenticate')).toBe('Basic, Bearer')
})

test.each([
  ['a line break in a value', ['Location', 'https://app.test/cb\r\nSet-Cookie: evil=1']],
  ['a line feed in a value', ['Location', 'https://app.test/cb\nSet-Cookie: evil=1']],
  ['a NUL in a value', ['Location', 'https://app.test/\0']],
  ['a line break in a name', ['X\r\nSet-Cookie', 'evil=1']],
] as const)('RFC 9112 §11.1: a response is not split by %s', async (_, header) => {
  const host = await aHost((app) => app.use(toExpress(aService({ endpoint: answering({ headers: [header] }) }))))

  const transcript = await sendBytes(host.port, requestText('GET /token'))

  expect(statusesIn(transcript)).toEqual([500])
  expect(transcript).not.toContain('evil')
  expect(host.errors).toHaveLength(1)
})

test('what a service throws, which it should not, reaches the error handler of the host', async () => {
  const service = { ...aService(), handle: () => Promise.reject(new Error('broken')) }
  const host = await aHost((app) => app.use(toExpress(service)))

  expect((await fetch(`${host.url}/token`)).status).toBe(500)
  expect(host.errors).toEqual([new Error('broken')])
})

describe('while the service works', () => {
  test('a client may leave, and nothing breaks', async () => {
    const work = aDeferred<ServerResponse>()
    const host = await aHost((app) => app.use(toExpress(aService({ endpoint: () => work.promise }))))

    const request = httpRequest(`${host.url}/token`)
    request.on('error', () => undefined)
    request.end()
    const [, response] = (await once(host.server, 'request')) as [IncomingMessage, OutgoingMessage]
    request.destroy()
    await once(response, 'close')
    work.resolve(json(200, {}))
    await work.promise

    expect((await fetch(`${host.url}/other`)).status).toBe(404)
    expect(host.errors).toEqual([])
  })

  test('the host may give up and answer by itself', async () => {
    const work = aDeferred<ServerResponse>()
    const impatient: RequestHandler = (_request, response, next) => {
      next()
      response.status(503).send('later')
    }
    const host = await aHost((app) => app.use('/token', impatient, toExpress(aService({ endpoint: () => work.promise }))))

    const response = await fetch(`${host.url}/token`)
    work.resolve(json(200, {}))
    await work.promise

    expect(response.status).toBe(503)
    expect(await response.text()).toBe('later')
    expect((await fetch(`${host.url}/other`)).status).toBe(404)
    expect(host.errors).toEqual([])
  })
})

const answering =
  (response: Partial<ServerResponse>): Endpoint =>
  () =>
    Promise.resolve({ status: 200, headers: [], body: undefined, ...response })

const setting =
  (name: string, value: string): RequestHandler =>
  (_request, response, next) => {
    response.setHeader(name, value)
    next()
  }
