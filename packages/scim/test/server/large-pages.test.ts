import { expect, test } from 'vitest'

import { userSchema } from '../../src/engine.ts'
import { startScim, type ScimUnderTest } from '../fixtures/scim-under-test.ts'

const title = 'x'.repeat(900)

async function createUsers(scim: ScimUnderTest, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1)
    await scim.send({
      method: 'POST',
      path: '/Users',
      body: { schemas: [userSchema.id], userName: `u${number}`, title },
    })
}

/** Starts a server that counts how many large pages it reads at the same time. */
async function startCounting(users: number, pageBytes?: number) {
  const plain = await startScim()
  await createUsers(plain, users)
  const { provisionedUsers } = plain.storage
  const reads = { now: 0, most: 0, all: 0 }
  const storage = {
    ...plain.storage,
    provisionedUsers: {
      ...provisionedUsers,
      list: async (query: Parameters<typeof provisionedUsers.list>[0]) => {
        const isLarge = (query.maxBytes ?? Infinity) > 300_000
        reads.all += 1
        if (isLarge) reads.now += 1
        reads.most = Math.max(reads.most, reads.now)
        try {
          await new Promise(setImmediate)
          return await provisionedUsers.list(query)
        } finally {
          if (isLarge) reads.now -= 1
        }
      },
    },
  }
  const scim = plain.startAnother({
    storage,
    limits: { totalBytesAtOnce: 1_000_000 },
    pageLimits: { maxCount: 1000, ...(pageBytes !== undefined && { bytes: pageBytes }) },
  })
  reads.all = 0
  return { scim, reads }
}

test.each(['/Users?count=400', '/Users?count=400&cursor='])(
  'reads one large page at a time when two would exceed the memory limit: %s',
  async (path) => {
    const { scim, reads } = await startCounting(400)

    const replies = await Promise.all([1, 2, 3].map(async () => scim.send({ path })))

    expect(replies.map(({ status, body }) => [status, body?.['itemsPerPage']])).toEqual(
      Array.from({ length: 3 }, () => [200, 400]),
    )
    expect(reads.most).toBe(1)
  },
)

test('reads a small page once, without waiting', async () => {
  const { scim, reads } = await startCounting(100)

  const reply = await scim.send({ path: '/Users?count=100' })

  expect(reply.body).toMatchObject({ itemsPerPage: 100 })
  expect(reads).toMatchObject({ all: 1, most: 0 })
})

test('still refuses a page by index that is larger than allowed (RFC 7644 §3.12)', async () => {
  const { scim } = await startCounting(400, 300_000)

  const reply = await scim.send({ path: '/Users?count=400' })

  expect(reply).toMatchObject({ status: 400, body: { scimType: 'tooMany' } })
})
