import type { Endpoint, ServerRequest } from '@mintmark/core/http'
import { json } from '@mintmark/core/http'
import { describe, expect, test } from 'vitest'
import { adapters, statusOfUnservedTarget } from '../support/adapters.ts'
import { aHost } from './host.ts'
import { requestText, sendBytes, statusesIn } from './raw-client.ts'
import { aService, type RecordingServiceOptions } from './recording-service.ts'

describe.each(adapters)('a page of the host on $name', (adapter) => {
  test('sees the origin of the service, the query and the raw body', async () => {
    const page = aPage()
    const host = await aHost(adapter, siteWith(page.endpoint))

    await fetch(`${host.url}/login?interaction=a%20b`, { method: 'POST', body: 'a=1&a=2' })

    expect(page.received.map((request) => request.method)).toEqual(['POST'])
    expect(page.received.map((request) => request.url.href)).toEqual(['https://as.test/login?interaction=a%20b'])
    expect(page.received.map((request) => Buffer.from(request.body).toString())).toEqual(['a=1&a=2'])
  })

  test('has the body limit of the service', async () => {
    const page = aPage()
    const host = await aHost(adapter, siteWith(page.endpoint, { bodyLimit: 4 }))

    expect((await fetch(`${host.url}/login`, { method: 'POST', body: 'abcde' })).status).toBe(413)
    expect(page.received).toEqual([])
  })

  test('passes its errors to the error handler of the host', async () => {
    const host = await aHost(
      adapter,
      siteWith(() => Promise.reject(new Error('unknown'))),
    )

    expect((await fetch(`${host.url}/login`)).status).toBe(500)
    expect(host.errors).toEqual([new Error('unknown')])
  })

  test.each(['/login#x', '/login?a=b#x', '/x/../logins', '/login\\'])(
    'does not receive a request for a target that is not its path: %s',
    async (target) => {
      const page = aPage()
      const host = await aHost(adapter, siteWith(page.endpoint))

      const transcript = await sendBytes(host.port, requestText(`GET ${target}`))

      expect(statusesIn(transcript)).toEqual([statusOfUnservedTarget(adapter, target)])
      expect(page.received).toEqual([])
    },
  )

  test('does not receive the host of a request target in absolute form (RFC 9112 §3.2.2)', async () => {
    const page = aPage()
    const host = await aHost(adapter, siteWith(page.endpoint))

    await sendBytes(host.port, requestText('GET http://evil.test/login'))

    // With the Fetch adapter, the Request contains the target's host and path; the page receives only the path.
    expect(page.received.map((request) => request.url.href)).toEqual(
      adapter.name === 'Fetch' ? ['https://as.test/login'] : [],
    )
  })
})

const siteWith = (endpoint: Endpoint, options: RecordingServiceOptions = {}) => ({
  services: [],
  pages: { '/login': { service: aService(options), endpoint } },
})

function aPage(): { readonly received: readonly ServerRequest[]; readonly endpoint: Endpoint } {
  const received: ServerRequest[] = []
  return {
    received,
    endpoint: (request) => {
      received.push(request)
      return Promise.resolve(json(200, {}))
    },
  }
}
