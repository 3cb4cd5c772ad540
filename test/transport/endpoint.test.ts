import type { Endpoint, ServerRequest } from '@mintmark/core/http'
import { json } from '@mintmark/core/http'
import express, { Router } from 'express'
import { expect, test } from 'vitest'
import { toExpressEndpoint } from '../src/index.ts'
import { aHost } from './host.ts'
import { requestText, sendBytes, statusesIn } from './raw-client.ts'
import { aService } from './recording-service.ts'

test('a page of the host sees the origin of the service, the query and the raw body', async () => {
  const page = aPage()
  const host = await aHost((app) => app.all('/login', toExpressEndpoint(aService(), page.endpoint)))

  await fetch(`${host.url}/login?interaction=a%20b`, { method: 'POST', body: 'a=1&a=2' })

  expect(page.received.map((request) => request.method)).toEqual(['POST'])
  expect(page.received.map((request) => request.url.href)).toEqual(['https://as.test/login?interaction=a%20b'])
  expect(page.received.map((request) => Buffer.from(request.body).toString())).toEqual(['a=1&a=2'])
})

test('a page below a mount path sees its full path', async () => {
  const page = aPage()
  const host = await aHost((app) => app.use('/id', Router().get('/login', toExpressEndpoint(aService(), page.endpoint))))

  await fetch(`${host.url}/id/login`)

  expect(page.received.map((request) => request.url.pathname)).toEqual(['/id/login'])
})

test('ATK-007: the body limit of the service holds for the page', async () => {
  const page = aPage()
  const host = await aHost((app) => app.all('/login', toExpressEndpoint(aService({ bodyLimit: 4 }), page.endpoint)))

  expect((await fetch(`${host.url}/login`, { method: 'POST', body: 'abcde' })).status).toBe(413)
  expect(page.received).toEqual([])
})

test('what the page throws reaches the error handler of the host', async () => {
  const host = await aHost((app) => app.all('/login', toExpressEndpoint(aService(), () => Promise.reject(new Error('unknown')))))

  expect((await fetch(`${host.url}/login`)).status).toBe(500)
  expect(host.errors).toEqual([new Error('unknown')])
})

test('a body parser in front of the page is an error that names the fix', async () => {
  const page = aPage()
  const host = await aHost((app) => app.all('/login', express.urlencoded(), toExpressEndpoint(aService(), page.endpoint)))

  const response = await fetch(`${host.url}/login`, { method: 'POST', body: new URLSearchParams({ a: 'b' }) })

  expect(response.status).toBe(500)
  expect(await response.text()).toContain('the pages of the host that it serves')
  expect(page.received).toEqual([])
})

test.each(['http://evil.test/login', '/login#x', '/login?a=b#x', '/x/../login', '/login\\'])(
  'ATK-029: a target that is not the path of the page is left to the host: %s',
  async (target) => {
    const page = aPage()
    const host = await aHost((app) => app.use('/', toExpressEndpoint(aService(), page.endpoint)))

    const transcript = await sendBytes(host.port, requestText(`GET ${target}`))

    expect(statusesIn(transcript)).toEqual([404])
    expect(page.received).toEqual([])
  },
)

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
