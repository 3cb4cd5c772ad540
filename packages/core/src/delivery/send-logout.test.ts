import { systemRandom } from '@mintmark/internal'
import { epochSeconds } from '@mintmark/storage-interface'
import { aDelivery } from '@mintmark/storage-interface/fixtures'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { expect, test } from 'vitest'

import { aRing, issuer } from '../../test/ring-under-test.ts'
import { sendLogout } from './send-logout.ts'

test.each([
  [1999, 'client_gone'],
  [2000, 'expired'],
])('at %d, a logout token that expires at 2000 and whose client was removed fails as %s', async (now, failure) => {
  const storage = createMemoryStorage({ issuer })
  const delivery = {
    ...aDelivery('d1', { expiresAt: epochSeconds(2000) }),
    state: 'pending',
    attempts: 0,
    dueAt: epochSeconds(1000),
    leaseToken: undefined,
    lastFailure: undefined,
    settledAt: undefined,
  } as const

  const result = await sendLogout(delivery, {
    issuer,
    storage,
    keys: aRing().ring,
    clock: () => epochSeconds(now),
    random: systemRandom,
    outbound: { request: () => Promise.reject(new Error('Nothing is sent')) },
    encrypt: (jwt) => Promise.resolve(jwt),
  })

  expect(result).toMatchObject({ kind: 'dead', failure })
})
