import type { ReceivedRequest } from '@mintmark/internal'
import { expect, it } from 'vitest'

import { createHealth } from './health.ts'

const origin = 'https://as.test'

it('/health responds with 200 while storage does not answer, and /ready with 503 until it answers again', async () => {
  let outage: Error | undefined = new Error('the database is down')
  const causes: unknown[] = []
  const health = createHealth({
    server: { origin, ready: () => (outage === undefined ? Promise.resolve() : Promise.reject(outage)) },
    onUnready: (cause) => void causes.push(cause),
  })

  const during = [await statusOf(health, '/health'), await statusOf(health, '/ready'), await statusOf(health, '/ready')]
  const first = outage
  outage = undefined
  const after = await statusOf(health, '/ready')
  outage = first
  await statusOf(health, '/ready')

  expect(during).toEqual([200, 503, 503])
  expect(after).toBe(200)
  expect(causes).toEqual([first, first])
})

it('the responses name no cause and are not stored', async () => {
  const health = createHealth({
    server: { origin, ready: () => Promise.reject(new Error('password of the database')) },
    onUnready: () => undefined,
  })

  const { body, headers } = await health.handle(requestTo('/ready'))

  expect(body).toBe('{"state":"unready"}')
  expect(headers).toContainEqual(['Cache-Control', 'no-store'])
})

it('serves nothing else, and refuses other methods (RFC 9110 §15.5.6)', async () => {
  const health = createHealth({ server: { origin, ready: () => Promise.resolve() } })

  expect(health.serves('/token')).toBe(false)
  expect((await health.handle(requestTo('/ready', 'POST'))).status).toBe(405)
})

const statusOf = async (health: ReturnType<typeof createHealth>, path: string): Promise<number> =>
  (await health.handle(requestTo(path))).status

const requestTo = (path: string, method = 'GET'): ReceivedRequest => ({
  method,
  url: new URL(origin + path),
  headers: new Map(),
  repeatedHeaders: new Set(),
  host: undefined,
  body: new Uint8Array(),
})
