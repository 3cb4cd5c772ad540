import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { watchChanges } from './derive-webhooks.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

test('reads the list of webhooks at most once every five seconds', async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  let reads = 0
  const webhooks = { ...storage.webhooks, list: () => ((reads += 1), storage.webhooks.list()) }
  const watch = watchChanges({ ...storage, webhooks })

  await watch.poll()
  vi.advanceTimersByTime(interval - 1)
  await watch.poll()
  const before = reads
  vi.advanceTimersByTime(1)
  await watch.poll()

  expect([before, reads]).toEqual([1, 2])
})

/** In milliseconds. */
const interval = 5000
