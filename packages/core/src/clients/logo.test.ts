import { clientId, epochSeconds } from '@mintmark/storage-interface'
import { aClientRecord } from '@mintmark/storage-interface/fixtures'
import { expect, it } from 'vitest'

import type { RateLimiter } from '../rate-limiter.ts'
import { createClientLogos } from './logo.ts'

it('fetches a logo once for simultaneous visitors, even if they all arrive before the rate limiter has responded', async () => {
  const requested: string[] = []
  const limiter: RateLimiter = {
    async consume() {
      await Promise.resolve()
      return { allowed: true }
    },
  }
  const logos = createClientLogos({
    capacity: { outside: (_, wait) => wait() },
    fetches: { ofClient: limiter, inTotal: limiter },
    outbound: {
      async request({ url }) {
        requested.push(url)
        const bytes = new Uint8Array([0xff, 0xd8, 0xff, 0xe0])
        return { outcome: 'answered', status: 200, headers: new Headers(), body: '', bytes }
      },
    },
  })
  const logoUri = 'https://cdn.app.test/logo.jpg'
  const client = { ...aClientRecord(), clientId: clientId('A'), logoUri, origin: 'administrator' as const }

  const found = await Promise.all([1, 2, 3].map(() => logos.find(client, epochSeconds(1000))))

  expect(found.map((logo) => logo?.type)).toEqual(['image/jpeg', 'image/jpeg', 'image/jpeg'])
  expect(requested).toEqual([logoUri])
})
