import { epochSeconds, seconds } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import type { DeliveryResult } from '@mintmark/storage-interface/stores'
import { expect, it } from 'vitest'

import { createChannelWorker } from './worker.ts'

const startedAt = 1_800_000_000

/** A loop in which each pause takes one second, with recipients `hung-…` that do not answer before the test says so. */
function startLoop() {
  const at = { now: startedAt }
  const clock = () => epochSeconds(at.now)
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const hanging: ((result: DeliveryResult) => void)[] = []
  const answeredAt: number[] = []
  let version = 0
  const stop = new AbortController()
  const worker = createChannelWorker(
    {
      name: 'logout',
      perRecipient: 2,
      watch: { version: () => version, position: () => 0, noteSeen: () => {}, poll: () => Promise.resolve() },
      derive: () => Promise.resolve({ position: 0, more: false }),
      send({ recipient }) {
        if (recipient.startsWith('hung')) return new Promise((resolve) => void hanging.push(resolve))
        answeredAt.push(at.now)
        return Promise.resolve({ kind: 'delivered', keptUntil: epochSeconds(at.now + 100) })
      },
    },
    {
      storage,
      clock,
      random: (count) => crypto.getRandomValues(new Uint8Array(count)),
      journal: { recordWithoutRequest: () => {} },
      waitUntil: undefined,
      async pause() {
        await new Promise((resolve) => setImmediate(resolve))
        at.now += 1
      },
    },
  )
  let count = 0
  return {
    at,
    hanging,
    answeredAt,
    async enqueue(recipient: string): Promise<void> {
      count += 1
      const id = `d-${String(count).padStart(6, '0')}`
      await storage.deliveries.enqueue([
        {
          deliveryId: id,
          dedupeKey: id,
          channel: 'logout',
          recipient,
          lane: undefined,
          sequence: undefined,
          content: {},
          createdAt: clock(),
          expiresAt: epochSeconds(at.now + 86_400),
          keptUntil: epochSeconds(at.now + 86_400),
        },
      ])
      version += 1
    },
    timeOutAll() {
      const dueAt = epochSeconds(at.now + seconds(5))
      for (const end of hanging.splice(0)) end({ kind: 'retry', failure: 'timeout', dueAt })
    },
    start: () => worker.run({ signal: stop.signal }),
    stop: () => stop.abort(),
  }
}

it('30 recipients that do not answer delay another one by a few seconds once, and then not at all', async () => {
  const loop = startLoop()
  for (let message = 0; message < 20; message += 1)
    for (let recipient = 0; recipient < 30; recipient += 1) await loop.enqueue(`hung-${recipient}`)
  await loop.enqueue('healthy')

  const running = loop.start()
  await expect.poll(() => loop.answeredAt.length).toBe(1)
  const first = (loop.answeredAt[0] ?? 0) - startedAt
  loop.timeOutAll()
  await expect.poll(() => loop.hanging.length).toBeGreaterThanOrEqual(8)
  const enqueuedAt = loop.at.now
  await loop.enqueue('healthy')
  await expect.poll(() => loop.answeredAt.length).toBe(2)
  const second = (loop.answeredAt[1] ?? 0) - enqueuedAt
  const hanging = loop.hanging.length
  loop.stop()
  loop.timeOutAll()
  await running

  expect(first).toBeLessThanOrEqual(5)
  expect(second).toBeLessThanOrEqual(1)
  expect(hanging).toBe(8)
})
