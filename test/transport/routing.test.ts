import { toExpress } from '@mintmark/adapter-express'
import { toFetch, toFetchHandler } from '@mintmark/adapter-fetch'
import { toNodeHandler, toNodeListener } from '@mintmark/adapter-node'
import { describe, expect, test } from 'vitest'
import { adapters, statusOfUnservedTarget } from '../support/adapters.ts'
import { aHost } from './host.ts'
import { requestText, sendBytes, statusesIn } from './raw-client.ts'
import { aService } from './recording-service.ts'

test.each<readonly [string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a promise', Promise.resolve(aService())],
  ['an object without functions', {}],
  ['a list', [aService()]],
])('each adapter refuses %s instead of a server when it is created', (_, given) => {
  for (const create of [toExpress, toFetch, toFetchHandler, toNodeHandler, toNodeListener])
    expect(() => create(aService(), given as never)).toThrow(/argument 2 must be a server/)
})

describe.each(adapters)('on $name', (adapter) => {
  test('answers the paths of the service and leaves the rest to the host', async () => {
    const service = aService()
    const host = await aHost(adapter, { services: [service] })

    expect(await (await fetch(`${host.url}/token`, { method: 'POST' })).json()).toEqual({ path: '/token' })
    expect(await (await fetch(`${host.url}/hello`)).text()).toBe('nothing here')
    expect((await fetch(`${host.url}/tokens`)).status).toBe(404)
    expect(service.received).toHaveLength(1)
  })

  test.each([
    ['a trailing slash', '/token/'],
    ['an additional leading slash', '//token'],
    ['a target with a host', '//as.test/token'],
    ['an escaped letter', '/%74oken'],
    ['an escaped letter in capitals', '/%54oken'],
    ['capitals', '/TOKEN'],
    ['a path parameter', '/token;x'],
    ['a leading path parameter', '/;x/token'],
    ['a trailing dot', '/token/.'],
    ['two trailing dots', '/token/x/..'],
    ['a backslash', '/\\token'],
    ['a backslash and dots', '/x\\..\\token'],
    ['a trailing backslash', '/token\\'],
    ['an escaped slash', '/%2ftoken'],
    ['an escaped question mark', '/token%3Fa=b'],
    ['an escaped NUL', '/token%00'],
    ['an escaped space', '/token%20'],
    ['a fragment', '/token#x'],
    ['a fragment in the query', '/token?a=b#x'],
    ['absolute-form with credentials', 'http://as.test@evil.test/token'],
    ['asterisk-form', '*'],
  ])('compares the path as received (RFC 9112 §3.2.1): %s: %s', async (_, target) => {
    const service = aService()
    const host = await aHost(adapter, { services: [service] })

    const transcript = await sendBytes(host.port, requestText(`POST ${target}`, ['Content-Length: 0']))

    expect(statusesIn(transcript)).toEqual([statusOfUnservedTarget(adapter, target)])
    expect(service.received).toEqual([])
    expect(host.errors).toEqual([])
  })

  test.each([
    ['a dot segment', '/./token'],
    ['two dots', '/x/../token'],
    ['escaped dots', '/x/%2e%2E/token'],
    ['absolute-form with another host', 'http://evil.test/token'],
    ['absolute-form with another port', 'https://as.test:8443/token'],
    ['absolute-form with dots', 'https://as.test/x/../token'],
  ])(
    'rejects a target that URL parsing would turn into the path of an endpoint, if the adapter receives the original target (RFC 9112 §3.2): %s: %s',
    async (_, target) => {
      const service = aService()
      const host = await aHost(adapter, { services: [service] })

      const transcript = await sendBytes(host.port, requestText(`POST ${target}`, ['Content-Length: 0']))

      // A Request contains the resolved path, not its original spelling, and the Host header does not change the path.
      const isResolved = adapter.name === 'Fetch'
      expect(statusesIn(transcript)).toEqual([isResolved ? 200 : 404])
      expect(service.received.map((request) => request.url.href)).toEqual(isResolved ? ['https://as.test/token'] : [])
      expect(host.errors).toEqual([])
    },
  )

  test.each(['https://as.test/token', 'http://AS.test/token'])(
    'accepts absolute-form that names the issuer (RFC 9112 §3.2.2): %s',
    async (target) => {
      const service = aService()
      const host = await aHost(adapter, { services: [service] })

      const transcript = await sendBytes(host.port, requestText(`POST ${target}`, ['Content-Length: 0']))

      expect(statusesIn(transcript)).toEqual([200])
      expect(service.received.map((request) => request.url.href)).toEqual(['https://as.test/token'])
    },
  )

  test.each([
    ['bytes that are not ASCII', '/token?a=\xe9'],
    ['a tab', '/tok\ten'],
    ['no slash', '\\token'],
  ])('the HTTP layer rejects a target with %s', async (_, target) => {
    const service = aService()
    const host = await aHost(adapter, { services: [service] })

    const transcript = await sendBytes(host.port, requestText(`POST ${target}`, ['Content-Length: 0']))

    expect(statusesIn(transcript)).toEqual([400])
    expect(service.received).toEqual([])
  })

  test.each(['/scim/../admin', '/scim/%2e%2e/admin', '/scim/a\\..\\..\\admin', '/scim/{x}', '/scim/a#b'])(
    'a service that serves all paths with one prefix receives no request whose path URL parsing would change: %s',
    async (target) => {
      const service = { ...aService(), serves: (path: string) => path.startsWith('/scim/') }
      const host = await aHost(adapter, { services: [service] })

      const transcript = await sendBytes(host.port, requestText(`GET ${target}`))

      expect(service.received).toEqual([])
      expect(statusesIn(transcript)).not.toContain(200)
      expect(host.errors).toEqual([])
    },
  )

  test('the query arrives unchanged', async () => {
    const service = aService()
    const host = await aHost(adapter, { services: [service] })

    await sendBytes(host.port, requestText('GET /token?code=a&code=b&x=%FF%zz&q=a?b/../c&plus=+'))

    expect(service.received.map((request) => request.url.search)).toEqual(['?code=a&code=b&x=%FF%zz&q=a?b/../c&plus=+'])
  })

  test('a query does not become part of the body', async () => {
    const service = aService()
    const host = await aHost(adapter, { services: [service] })

    await fetch(`${host.url}/token?grant_type=authorization_code`, { method: 'POST' })

    expect(service.received.map((request) => request.body.length)).toEqual([0])
  })

  test('two services work side by side; if two have the same path, the first responds', async () => {
    const first = aService({ path: '/token' })
    const second = aService({ path: '/scim', origin: 'https://scim.test', bodyLimit: 4 })
    const shadowed = aService({ path: '/token' })
    const host = await aHost(adapter, { services: [first, second, shadowed] })

    const statuses = []
    for (const path of ['/token', '/scim']) {
      statuses.push((await fetch(`${host.url}${path}`, { method: 'POST', body: 'a=bcd' })).status)
    }
    await fetch(`${host.url}/scim`)

    expect(statuses).toEqual([200, 413])
    expect(first.received.map((request) => request.url.href)).toEqual(['https://as.test/token'])
    expect(second.received.map((request) => request.url.href)).toEqual(['https://scim.test/scim'])
    expect(shadowed.received).toEqual([])
  })

  test.each([
    ['Host: evil.test'],
    ['X-Forwarded-Host: evil.test'],
    ['Forwarded: host=evil.test;proto=http'],
    ['X-Original-URL: /admin'],
    ['X-Rewrite-URL: /admin'],
    ['X-Forwarded-Proto: http'],
    ['X-Forwarded-Prefix: /evil'],
  ])('uses the configured origin, whatever the request contains: %s (RFC 9700 §4.13)', async (header) => {
    const service = aService()
    const host = await aHost(adapter, { services: [service] })

    const transcript = await sendBytes(
      host.port,
      `GET /token HTTP/1.1\r\nConnection: close\r\n${hostLine(header)}${header}\r\n\r\n`,
    )

    expect(statusesIn(transcript)).toEqual([200])
    expect(service.received.map((request) => request.url.href)).toEqual(['https://as.test/token'])
    expect(transcript).not.toContain('evil')
  })

  test.each([
    ['a method that the path does not have (RFC 9110 §15.5.6)', 'DELETE', []],
    ['a CORS preflight', 'OPTIONS', ['Origin: https://evil.test', 'Access-Control-Request-Method: POST']],
  ])('%s reaches the service, which lists the methods and allows no other origin', async (_, method, headers) => {
    const service = aService()
    const host = await aHost(adapter, { services: [service] })

    const transcript = await sendBytes(host.port, requestText(`${method} /token`, headers))

    expect(statusesIn(transcript)).toEqual([405])
    expect(transcript).toMatch(/^Allow: GET, HEAD, POST\r$/im)
    expect(transcript.toLowerCase()).not.toContain('access-control-')
  })

  test.each(['X-HTTP-Method-Override: DELETE', 'X-HTTP-Method: DELETE', 'X-Method-Override: DELETE'])(
    'takes the method from the request line and ignores the header %s',
    async (header) => {
      const service = aService()
      const host = await aHost(adapter, { services: [service] })

      const transcript = await sendBytes(
        host.port,
        requestText('POST /token?_method=DELETE', [header, 'Content-Length: 0']),
      )

      expect(statusesIn(transcript)).toEqual([200])
      expect(service.received.map((request) => request.method)).toEqual(['POST'])
    },
  )
})

const hostLine = (header: string): string => (header.startsWith('Host') ? '' : 'Host: as.test\r\n')
