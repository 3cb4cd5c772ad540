import { epochSeconds, StorageUnavailableError } from '@mintmark/storage-interface'
import { aProvisionedState, aProvisionedUser } from '@mintmark/storage-interface/fixtures'
import { expect, onTestFinished, test } from 'vitest'
import { memoryUnderTest } from './sqlite-under-test.ts'

test('a change of a user that fails once is reported, and not tried again: it may have been written', async () => {
  let fails = false
  const database = await memoryUnderTest((dialect) => ({
    ...dialect,
    all: async (...statement) => {
      const rows = await dialect.all(...statement)
      if (!fails) return rows
      fails = false
      throw new StorageUnavailableError('The response was lost.')
    },
  }))
  onTestFinished(() => database.close())
  const { provisionedUsers } = await database.open('https://as.example')
  const ada = aProvisionedUser('ada')
  await provisionedUsers.insert(ada)
  const change = { ...ada, version: 1, state: aProvisionedState('grace'), now: epochSeconds(1_800_000_000) }

  fails = true

  await expect(provisionedUsers.compareAndSwap(change)).rejects.toThrow('The response was lost.')
})
