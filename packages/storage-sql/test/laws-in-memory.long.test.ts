import { adminLaws } from '@mintmark/storage-interface/contract'
import { expect, test } from 'vitest'
import { oneMemoryUnderTest } from './sqlite-under-test.ts'

const makeStore = await oneMemoryUnderTest()

test.for(adminLaws)('SQLite in memory keeps the law $name', async (law) => {
  await expect(law.run(makeStore)).resolves.toBeUndefined()
})
