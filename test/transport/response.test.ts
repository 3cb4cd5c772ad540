import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage, type ServerResponse as OutgoingMessage } from 'node:http'
import type { Endpoint, ServerResponse } from '@mintmark/core/http'
import { json } from '@mintmark/core/http'
import { describe, expect, test } from 'vitest'
import { adapters, type Site } from '../support/adapters.ts'
import { aDeferred } from './deferred.ts'
import { aHost } from './host.ts'
import { requestText, sendBytes, statusesIn } from './raw-client.ts'
import { aService } from './recording-service.ts'

describe.each(adapters)('on $name', (adapter) => {
  test('writes status, headers and body unchanged, and the length in bytes', async () => {
    const host = await aHost(adapter, {
      services: [aService({ endpoint: respondWith({ status: 418, headers: [['X-Mark', 'yes']], body: 'é' }) })],
    })

    const response = await fetch(`${host.url}/token`)

    expect(response.status).toBe(418)
    expect(response.headers.get('x-mark')).toBe('yes')
    expect(response.headers.get('content-length')).toBe('2')
    expect(await response.text()).toBe('é')
  })

  test('writes a frozen response, which adapters may cache, identically each time', async () => {
    const frozen = Object.freeze({ status: 200, headers: [['X-Mark', 'yes']] as const, body: 'é!' })
    const host = await aHost(adapter, { services: [aService({ endpoint: () => Promise.resolve(frozen) })] })

    const answers = []
    for (const method of ['GET', 'HEAD', 'GET']) {
      const response = await fetch(`${host.url}/token`, { method })
      answers.push([response.headers.get('x-mark'), response.headers.get('content-length'), await response.text()])
    }

    expect(answers).toEqual([
      ['yes', '3', 'é!'],
      ['yes', '3', ''],
      ['yes', '3', 'é!'],
    ])
  })

  test('writes a body of bytes unchanged', async () => {
    const body = Uint8Array.of(0, 255, 128, 13, 10)
    const host = await aHost(adapter, { services: [aService({ endpoint: respondWith({ body }) })] })

    const response = await fetch(`${host.url}/token`)

    expect(new Uint8Array(await response.arrayBuffer())).toEqual(body)
  })

  test('204 has neither a body nor a length (RFC 9110 §8.6)', async () => {
    const host = await aHost(adapter, {
      services: [aService({ endpoint: respondWith({ status: 204, body: undefined }) })],
    })

    const transcript = await sendBytes(host.port, requestText('GET /token'))

    expect(statusesIn(transcript)).toEqual([204])
    expect(transcript.toLowerCase()).not.toContain('content-length')
    expect(transcript.endsWith('\r\n\r\n')).toBe(true)
  })

  test.each([
    ['a service', (endpoint: Endpoint): Site => ({ services: [aService({ endpoint })] })],
    [
      'a page of the host',
      (endpoint: Endpoint): Site => ({ services: [], pages: { '/token': { service: aService(), endpoint } } }),
    ],
  ])('%s answers HEAD with the headers of GET and no body (RFC 9110 §9.3.2)', async (_, siteOf) => {
    const endpoint = respondWith({ headers: [['X-Mark', 'yes']], body: 'é!' })
    const host = await aHost(adapter, siteOf(endpoint), { rejectNonStandardBodyWrites: true })

    const transcript = await sendBytes(host.port, requestText('HEAD /token'))

    expect(statusesIn(transcript)).toEqual([200])
    expect(transcript).toMatch(/^X-Mark: yes\r$/im)
    // Content-Length may be omitted: a page served by the Fetch adapter has none.
    expect(transcript).not.toMatch(/^Content-Length: (?!3\r)/im)
    expect(transcript.endsWith('\r\n\r\n')).toBe(true)
    expect(host.errors).toEqual([])
  })

  test('sends each cookie in its own Set-Cookie header (RFC 6265 §3)', async () => {
    const headers = [
      ['Set-Cookie', 'a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT'],
      ['set-cookie', 'b=2'],
    ] as const
    const host = await aHost(adapter, { services: [aService({ endpoint: respondWith({ headers }) })] })

    const response = await fetch(`${host.url}/token`)

    expect(response.headers.getSetCookie()).toEqual(['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2'])
  })

  test('sends all headers of the same name', async () => {
    const headers = [
      ['WWW-Authenticate', 'Basic'],
      ['WWW-Authenticate', 'Bearer'],
    ] as const
    const host = await aHost(adapter, { services: [aService({ endpoint: respondWith({ status: 401, headers }) })] })

    expect((await fetch(`${host.url}/token`)).headers.get('www-authenticate')).toBe('Basic, Bearer')
  })

  test.each([
    ['a line break in a value', ['Location', 'https://app.test/cb\r\nSet-Cookie: evil=1']],
    ['a line feed in a value', ['Location', 'https://app.test/cb\nSet-Cookie: evil=1']],
    ['a NUL in a value', ['Location', 'https://app.test/\0']],
    ['a line break in a name', ['X\r\nSet-Cookie', 'evil=1']],
  ] as const)('%s cannot split a response (RFC 9112 §11.1)', async (_, header) => {
    const host = await aHost(adapter, { services: [aService({ endpoint: respondWith({ headers: [header] }) })] })

    const transcript = await sendBytes(host.port, requestText('GET /token'))

    expect(statusesIn(transcript)).toEqual([500])
    expect(transcript.split('\r\n\r\n', 1)[0]).not.toContain('evil')
    expect(host.errors).toHaveLength(1)
  })

  test('an unexpected exception in a service reaches the error handler of the host', async () => {
    const service = { ...aService(), handle: () => Promise.reject(new Error('broken')) }
    const host = await aHost(adapter, { services: [service] })

    expect((await fetch(`${host.url}/token`)).status).toBe(500)
    expect(host.errors).toEqual([new Error('broken')])
  })

  describe('while the service works', () => {
    test('a client may disconnect without causing an error', async () => {
      const work = aDeferred<ServerResponse>()
      const host = await aHost(adapter, { services: [aService({ endpoint: () => work.promise })] })

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
  })
})

// With the Fetch adapter, the runtime frames the response.
test.each(adapters.filter(({ name }) => name !== 'Fetch'))(
  'on $name, a response without a body and a response with an empty body have Content-Length 0 (RFC 9110 §8.6)',
  async (adapter) => {
    for (const body of [undefined, '']) {
      const host = await aHost(adapter, {
        services: [aService({ endpoint: respondWith({ status: 303, headers: [['Location', '/x']], body }) })],
      })

      const response = await fetch(`${host.url}/token`, { redirect: 'manual' })

      expect(response.headers.get('content-length')).toBe('0')
    }
  },
)

const respondWith =
  (response: Partial<ServerResponse>): Endpoint =>
  () =>
    Promise.resolve({ status: 200, headers: [], body: undefined, ...response })
