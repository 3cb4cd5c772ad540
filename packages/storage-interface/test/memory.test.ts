import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'
import { after, seconds } from '@mintmark/storage-interface'
import { adminLaws, agentLaws } from '@mintmark/storage-interface/contract'
import { aFamilyRecord, aRefreshRecord } from '@mintmark/storage-interface/fixtures'
import { expect, test } from 'vitest'
import { memoryUnderTest } from './memory-under-test.ts'

test.for([...adminLaws, ...agentLaws])('memory keeps the law $name', async (law) => {
  await expect(law.run(memoryUnderTest)).resolves.toBeUndefined()
})

test('every law has a unique name', () => {
  expect(new Set(adminLaws.map(({ name }) => name)).size).toBe(adminLaws.length)
})

test('storages that are created without a database share nothing', async () => {
  const first = createMemoryStorage({ issuer: 'https://issuer.example' })
  const second = createMemoryStorage({ issuer: 'https://issuer.example' })
  const claim = { purpose: 'client_assertion_jti', value: 'jti-1', expiresAt: 60, now: 0 } as never

  await first.replays.markUsed(claim)

  expect(await second.replays.markUsed(claim)).toEqual({ outcome: 'fresh' })
})

test('each call of a method awaits the scheduler hook once', async () => {
  let calls = 0
  const storage = createMemoryStorage({
    issuer: 'https://issuer.example',
    database: createMemoryDatabase(),
    scheduler: async () => void (calls += 1),
  })

  await storage.signingKeys.list()
  await storage.revocations.isTokenRevoked('token-1', 0 as never)

  expect(calls).toBe(2)
})

test('a family is removed a day after its refresh token has expired', async () => {
  const { families, purge } = createMemoryStorage({ issuer: 'https://issuer.example' })
  const refresh = aRefreshRecord()
  await families.insert(aFamilyRecord({ refresh }))
  const purgeAfter = (time: number) => purge.purgeExpired({ now: after(refresh.expiresAt, seconds(time)), limit: 10 })

  expect([(await purgeAfter(86_399)).removed, (await purgeAfter(86_400)).removed]).toEqual([0, 1])
})
