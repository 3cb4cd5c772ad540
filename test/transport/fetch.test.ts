import { toFetch, toFetchEndpoint, toFetchHandler } from '@mintmark/adapter-fetch'
import type { Endpoint, HttpService } from '@mintmark/core/http'
import { json } from '@mintmark/core/http'
import { readRequest } from '@mintmark/internal'
import { describe, expect, test } from 'vitest'
import { aService } from './recording-service.ts'

const origin = 'https://seen.test'

describe('toFetch and toFetchHandler', () => {
  test('answers the paths of its services, and 404 elsewhere', async () => {
    const service = aService()
    const fetch = toFetch(service, aService({ path: '/scim' }))

    expect((await fetch(new Request(`${origin}/token`))).status).toBe(200)
    expect((await fetch(new Request(`${origin}/scim`))).status).toBe(200)
    const elsewhere = await fetch(new Request(`${origin}/other`, { method: 'POST', body: 'a' }))
    expect([elsewhere.status, elsewhere.headers.get('cache-control')]).toEqual([404, 'no-store'])
    expect(service.received.map((request) => request.url.href)).toEqual(['https://as.test/token'])
  })

  test('leaves other requests unread where the host has its own routes', async () => {
    const handle = toFetchHandler(aService())
    const request = new Request(`${origin}/other`, { method: 'POST', body: 'kept' })

    expect(await handle(request)).toBeUndefined()
    expect(await request.text()).toBe('kept')
  })

  test.each(['https://seen.test/token#x', 'https://seen.test/token#'])(
    'a fragment is not part of a target: %s (RFC 9112 §3.2)',
    async (url) => {
      const service = aService()

      expect(await toFetchHandler(service)(new Request(url))).toBeUndefined()
      expect(await toFetchEndpoint(service, echo)(new Request(url))).toBeUndefined()
      expect(service.received).toEqual([])
    },
  )
})

describe('a response', () => {
  test.each([204, 205, 304])('has no body with status %i, not even an empty one (RFC 9110 §15.3.5)', async (status) => {
    const service: HttpService = { ...aService(), handle: () => Promise.resolve({ status, headers: [], body: '' }) }

    const response = await toFetch(service)(new Request(`${origin}/token`))

    expect([response.status, response.body]).toEqual([status, null])
  })
})

describe('headers', () => {
  test.each([
    ['authorization', 'Basic QTpi', 'Basic QTpi'],
    ['authorization', 'Basic QTpi', ''],
    ['content-type', 'application/x-www-form-urlencoded', 'text/plain'],
    ['origin', 'https://as.test', 'https://evil.test'],
    ['sec-fetch-site', 'same-origin', 'cross-site'],
    ['dpop', 'a', 'b'],
  ])('a repeated %s is recognised by the comma: %s, %s (RFC 9110 §5.3)', async (name, ...values) => {
    const service = aService()
    const headers = new Headers()
    for (const value of values) headers.append(name, value)

    await toFetch(service)(new Request(`${origin}/token`, { headers }))

    expect(service.received.map(({ repeatedHeaders }) => [...repeatedHeaders])).toEqual([[name]])
    expect(service.received.map((request) => request.headers.get(name))).toEqual([values.join(', ').trim()])
  })

  test('a list is not a repetition (RFC 9110 §5.3)', async () => {
    const service = aService()

    await toFetch(service)(new Request(`${origin}/token`, { headers: { accept: 'a/b, c/d', 'x-list': '1, 2' } }))

    expect(service.received.map(({ repeatedHeaders }) => repeatedHeaders.size)).toEqual([0])
  })

  test('every cookie of a response has its own header (RFC 6265 §3)', async () => {
    const headers = [
      ['Set-Cookie', 'a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT'],
      ['set-cookie', 'b=2'],
    ] as const
    const service = aService({ endpoint: () => Promise.resolve({ status: 303, headers, body: undefined }) })

    const response = await toFetch(service)(new Request(`${origin}/token`))

    expect(response.headers.getSetCookie()).toEqual(['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2'])
  })

  test('a line break in a response header is an error of the host and is never sent (RFC 9112 §11.1)', async () => {
    const headers = [['Location', 'https://app.test/\r\nSet-Cookie: evil=1']] as const
    const service = aService({ endpoint: () => Promise.resolve({ status: 303, headers, body: undefined }) })

    await expect(toFetch(service)(new Request(`${origin}/token`))).rejects.toThrow(TypeError)
  })
})

describe('a service that asks to be notified when its response has been sent', () => {
  /** Creates a service that responds with text, and a list of the notifications that it received. */
  function aSender(body: string | undefined = 'a text'.repeat(100_000)) {
    const notifications: string[] = []
    const endpoint: Endpoint = async ({ sent }) => {
      sent?.(() => notifications.push('sent'))
      return { status: 200, headers: [['Content-Type', 'text/plain']], body }
    }
    return { notifications, body, fetch: toFetch(aService({ endpoint })) }
  }

  test('is notified when the body has been read', async () => {
    const { notifications, body, fetch } = aSender()

    const response = await fetch(new Request(`${origin}/token`))
    expect(notifications).toEqual([])

    expect(response.headers.get('content-type')).toBe('text/plain')
    expect(await response.text()).toBe(body)
    expect(notifications).toEqual(['sent'])
  })

  test('is notified when the runtime cancels the body', async () => {
    const { notifications, fetch } = aSender()

    const response = await fetch(new Request(`${origin}/token`))
    await response.body?.cancel()

    expect(notifications).toEqual(['sent'])
  })

  test('is notified only once when the client disconnects and the body is cancelled', async () => {
    const { notifications, fetch } = aSender()
    const client = new AbortController()

    const response = await fetch(new Request(`${origin}/token`, { signal: client.signal }))
    client.abort()
    expect(notifications).toEqual(['sent'])
    await response.body?.cancel()

    expect(notifications).toEqual(['sent'])
  })

  test('is notified at once when there is no body', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { notifications, fetch } = aSender(method === 'GET' ? '' : undefined)

      const response = await fetch(new Request(`${origin}/token`, { method }))
      await response.text()

      expect(notifications).toEqual(['sent'])
    }
  })
})

describe('bodies', () => {
  test.each([
    ['was read completely', (request: Request) => request.text()],
    ['is locked by a reader', (request: Request) => request.body?.getReader()],
  ])('a request whose body %s is not handled, and the error says how to fix the host', async (_, read) => {
    const service = aService()
    const request = new Request(`${origin}/token`, { method: 'POST', body: 'a=b' })
    await read(request)

    await expect(toFetch(service)(request)).rejects.toThrow('request.clone()')
    expect(service.received).toEqual([])
  })

  test.each([
    ['by a method of Request', (request: Request) => request.text()],
    ['by a reader that then releases it', readAndRelease],
  ])('a body that is read %s while the service authenticates the caller also causes an error', async (_, read) => {
    const bodies: unknown[] = []
    const request = new Request(`${origin}/token`, { method: 'POST', body: 'a=b' })
    const service: HttpService = {
      ...aService(),
      async handle(received) {
        await read(request)
        bodies.push(await readRequest(received, 100))
        return json(200, {})
      },
    }

    await expect(toFetch(service)(request)).rejects.toThrow('request.clone()')
    expect(bodies).toEqual([])
  })

  test('stops reading at the limit, although more data follows', async () => {
    const service = aService({ bodyLimit: 4 })
    let pulled = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1
        controller.enqueue(Uint8Array.of(97, 97))
      },
    })
    const request = new Request(`${origin}/token`, { method: 'POST', body, duplex: 'half' } as RequestInit)

    const response = await toFetch(service)(request)

    expect(response.status).toBe(413)
    expect(service.received).toEqual([])
    expect(pulled).toBeLessThan(8)
  })

  test('a body whose stream fails is not handled', async () => {
    const service = aService()
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Uint8Array.of(97))
        controller.error(new Error('gone'))
      },
    })
    const request = new Request(`${origin}/token`, { method: 'POST', body, duplex: 'half' } as RequestInit)

    expect((await toFetch(service)(request)).status).toBe(400)
    expect(service.received).toEqual([])
  })

  test('a page of the host does not receive a request whose body fails', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) })
    const request = new Request(`${origin}/login`, { method: 'POST', body, duplex: 'half' } as RequestInit)

    expect((await toFetchEndpoint(aService(), echo)(request))?.status).toBe(400)
  })

  test('a POST without a body has an empty one', async () => {
    const service = aService()

    await toFetch(service)(new Request(`${origin}/token`, { method: 'POST' }))

    expect(service.received.map(({ body }) => body.length)).toEqual([0])
  })
})

const echo: Endpoint = (request) => Promise.resolve(json(200, { path: request.url.pathname }))

async function readAndRelease(request: Request): Promise<void> {
  const reader = request.body?.getReader()
  while ((await reader?.read())?.done === false);
  reader?.releaseLock()
}
