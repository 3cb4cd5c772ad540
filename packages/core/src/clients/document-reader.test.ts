import { epochSeconds } from '@mintmark/storage-interface'
import { describe, expect, it } from 'vitest'

import { createOutboundClient } from '../outbound/client.ts'
import { createMemoryRateLimiter } from '../rate-limiter.ts'
import { createDocumentReader } from './document-reader.ts'

const good = 'https://cli.test/oauth.json'
const rules = { scopes: ['openid'], redirects: 'same_origin' } as const

/** Creates a reader of a web of which `pages` has the documents. Other URLs are 404. */
function reading({ points = 100 }: { readonly points?: number } = {}) {
  const requested: string[] = []
  const pages = new Map([[good, { client_id: good, client_name: 'Tool', redirect_uris: ['https://cli.test/cb'] }]])
  const fetch = ((url: string) => {
    requested.push(url)
    const page = pages.get(url)
    return Promise.resolve(page === undefined ? new Response(null, { status: 404 }) : Response.json(page))
  }) as typeof globalThis.fetch
  const reader = createDocumentReader({
    capacity: { outside: (_, wait) => wait() },
    outbound: createOutboundClient(fetch),
    allowedOrigins: [],
    limits: [{ limiter: createMemoryRateLimiter({ points, window: 60 }), keyOf: ({ host }) => `host ${host}` }],
  })
  const read = async (url: string, at = 1000) => (await reader.read(url, epochSeconds(at), rules)).outcome
  return { read, requested, pages }
}

describe('a URL without a document', () => {
  it('is not requested again for ten seconds', async () => {
    const { read, requested } = reading()

    for (const at of [1000, 1001, 1009]) expect(await read('https://cli.test/none', at)).toBe('refused')
    expect(requested).toHaveLength(1)
    await read('https://cli.test/none', 1010)

    expect(requested).toHaveLength(2)
  })

  it('has no effect on other URLs', async () => {
    const { read } = reading()
    await read('https://cli.test/none')

    expect(await read(good)).toBe('read')
  })

  it('is remembered with at most a thousand others', async () => {
    const { read, requested } = reading({ points: 5000 })
    for (let n = 0; n <= 1000; n += 1) await read(`https://cli.test/${n}`)

    await read('https://cli.test/1000')
    expect(requested).toHaveLength(1001)
    await read('https://cli.test/0')

    expect(requested).toHaveLength(1002)
  })
})

it('reads a known document again although strangers have used up the requests to its host (RFC 6585 §4)', async () => {
  const { read } = reading({ points: 3 })
  expect(await read(good)).toBe('read')
  for (let n = 0; n < 3; n += 1) await read(`https://cli.test/${n}`)

  expect(await read('https://cli.test/4')).toBe('unreachable')
  expect(await read(good, 1059)).toBe('read')
  expect(await read(good, 1060)).toBe('read')
})
