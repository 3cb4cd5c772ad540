import { epochSeconds, seconds } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, it } from 'vitest'

import { createMemoryRateLimiter } from '../rate-limiter.ts'
import { createClientDocuments } from './client-documents.ts'

it('fetches a document once for a thousand simultaneous visits', async () => {
  const id = 'https://cli.test/oauth.json'
  const body = JSON.stringify({ client_id: id, client_name: 'Tool', redirect_uris: ['https://cli.test/cb'] })
  const headers = new Headers({ 'content-type': 'application/json' })
  const requested: string[] = []
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const limiter = createMemoryRateLimiter({ points: 10_000, window: 60 })
  let visits = 0
  const documents = createClientDocuments(
    {
      // Called just before the cache is read: the response is held back until every visit has got this far.
      allow: () => {
        visits += 1
        if (visits === 1000) release()
        return true
      },
      scopes: ['openid'],
      redirects: 'same_origin',
      staleFor: seconds(60),
    },
    {
      storage: createMemoryStorage({ issuer: 'https://as.test' }),
      fetches: { ofHost: limiter, inTotal: limiter },
      outbound: {
        async request({ url }) {
          requested.push(url)
          await released
          return { outcome: 'answered', status: 200, headers, body }
        },
      },
    },
  )

  const clients = await Promise.all(Array.from({ length: 1000 }, () => documents.identify(id, epochSeconds(1000))))

  expect(new Set(clients.map(({ clientName }) => clientName))).toEqual(new Set(['Tool']))
  expect(requested).toEqual([id])
})
