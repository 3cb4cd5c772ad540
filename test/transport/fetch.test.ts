import { toFetch, toFetchEndpoint, toFetchHandler } from '@mintmark/adapter-fetch'
import type { Endpoint, HttpService } from '@mintmark/core/http'
import { json } from '@mintmark/core/http'
import { readRequest } from '@mintmark/internal'
import { describe, expect, test } from 'vitest'
import { aService } from './recording-service.ts'

const at = 'https://seen.test'

describe('as a function of its own', () => {
  test('answers the paths of its services, and 404 elsewhere', async () => {
    const service = aService()
    const fetch = toFetch(service, aService({ path: '/scim' }))

    expect((await fetch(new Request(`${at}/token`))).status).toBe(200)
    expect((await fetch(new Request(`${at}/scim`))).status).toBe(200)
    const elsewhere = await fetch(new Request(`${at}/other`, { method: 'POST', body: 'a' }))
    expect([elsewhere.status, elsewhere.headers.get('cache-control')]).toEqual([404, 'no-store'])
    expect(service.received.map((request) => request.url.href)).toEqual(['https://as.test/token'])
  })

  test('leaves other requests unread where the host has its own routes', async () => {
    const handle = toFetchHandler(aService())
    const request = new Request(`${at}/other`, { method: 'POST', body: 'kept' })

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

    await toFetch(service)(new Request(`${at}/token`, { headers }))

    expect(service.received.map(({ repeatedHeaders }) => [...repeatedHeaders])).toEqual([[name]])
    expect(service.received.map((request) => request.headers.get(name))).toEqual([values.join(', ').trim()])
  })

  test('a list is not a repetition (RFC 9110 §5.3)', async () => {
    const service = aService()

    await toFetch(service)(new Request(`${at}/token`, { headers: { accept: 'a/b, c/d', 'x-list': '1, 2' } }))

    expect(service.received.map(({ repeatedHeaders }) => repeatedHeaders.size)).toEqual([0])
  })

  test('every cookie of a response has its own header (RFC 6265 §3)', async () => {
    const headers = [
      ['Set-Cookie', 'a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT'],
      ['set-cookie', 'b=2'],
    ] as const
    const service = aService({ endpoint: () => Promise.resolve({ status: 303, headers, body: undefined }) })

    const response = await toFetch(service)(new Request(`${at}/token`))

    expect(response.headers.getSetCookie()).toEqual(['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2'])
  })

  test('a line break in a response header is an error of the host and is never sent (RFC 9112 §11.1)', async () => {
    const headers = [['Location', 'https://app.test/\r\nSet-Cookie: evil=1']] as const
    const service = aService({ endpoint: () => Promise.resolve({ status: 303, headers, body: undefined }) })

    await expect(toFetch(service)(new Request(`${at}/token`))).rejects.toThrow(TypeError)
  })
})

describe('a service that asks when its response was sent', () => {
  /** A service whose response is a text, and what happened to the response. */
  function aSender(body: string | undefined = 'a text'.repeat(100_000)) {
    const happened: string[] = []
    const endpoint: Endpoint = async ({ sent }) => {
      sent?.(() => happened.push('sent'))
      return { status: 200, headers: [['Content-Type', 'text/plain']], body }
    }
    return { happened, body, fetch: toFetch(aService({ endpoint })) }
  }

  test('learns it once the body was read', async () => {
    const { happened, body, fetch } = aSender()

    const response = await fetch(new Request(`${at}/token`))
    expect(happened).toEqual([])

    expect(response.headers.get('content-type')).toBe('text/plain')
    expect(await response.text()).toBe(body)
    expect(happened).toEqual(['sent'])
  })

  test('learns it when the runtime cancels the body', async () => {
    const { happened, fetch } = aSender()

    const response = await fetch(new Request(`${at}/token`))
    await response.body?.cancel()

    expect(happened).toEqual(['sent'])
  })

  test('learns it once when the client disconnects and the body is cancelled', async () => {
    const { happened, fetch } = aSender()
    const client = new AbortController()

    const response = await fetch(new Request(`${at}/token`, { signal: client.signal }))
    client.abort()
    expect(happened).toEqual(['sent'])
    await response.body?.cancel()

    expect(happened).toEqual(['sent'])
  })

  test('learns it at once when there is no body', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { happened, fetch } = aSender(method === 'GET' ? '' : undefined)

      const response = await fetch(new Request(`${at}/token`, { method }))
      await response.text()

      expect(happened).toEqual(['sent'])
    }
  })
})

describe('bodies', () => {
  test.each([
    ['arrived completely', (request: Request) => request.text()],
    ['is locked by a reader', (request: Request) => request.body?.getReader()],
  ])('a body that %s and was read is an error that names the fix, and nothing is handled', async (_, read) => {
    const service = aService()
    const request = new Request(`${at}/token`, { method: 'POST', body: 'a=b' })
    await read(request)

    await expect(toFetch(service)(request)).rejects.toThrow('request.clone()')
    expect(service.received).toEqual([])
  })

  test.each([
    ['by a function of its class', (request: Request) => request.text()],
    ['by a reader that lets go of it', readAndRelease],
  ])('a body that is read %s while the service authenticates the caller is an error too', async (_, read) => {
    const bodies: unknown[] = []
    const request = new Request(`${at}/token`, { method: 'POST', body: 'a=b' })
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

  test('stops reading at the limit, however much follows', async () => {
    const service = aService({ bodyLimit: 4 })
    let pulled = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1
        controller.enqueue(Uint8Array.of(97, 97))
      },
    })
    const request = new Request(`${at}/token`, { method: 'POST', body, duplex: 'half' } as RequestInit)

    const response = await toFetch(service)(request)

    expect(response.status).toBe(413)
    expect(service.received).toEqual([])
    expect(pulled).toBeLessThan(8)
  })

  test('a body that breaks off is not handled', async () => {
    const service = aService()
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Uint8Array.of(97))
        controller.error(new Error('gone'))
      },
    })
    const request = new Request(`${at}/token`, { method: 'POST', body, duplex: 'half' } as RequestInit)

    expect((await toFetch(service)(request)).status).toBe(400)
    expect(service.received).toEqual([])
  })

  test('a page of the host does not receive the request of a client that left', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) })
    const request = new Request(`${at}/login`, { method: 'POST', body, duplex: 'half' } as RequestInit)

    expect((await toFetchEndpoint(aService(), echo)(request))?.status).toBe(400)
  })

  test('a POST without a body has an empty one', async () => {
    const service = aService()

    await toFetch(service)(new Request(`${at}/token`, { method: 'POST' }))

    expect(service.received.map(({ body }) => body.length)).toEqual([0])
  })
})

const echo: Endpoint = (request) => Promise.resolve(json(200, { path: request.url.pathname }))

async function readAndRelease(request: Request): Promise<void> {
  const reader = request.body?.getReader()
  while ((await reader?.read())?.done === false);
  reader?.releaseLock()
}
