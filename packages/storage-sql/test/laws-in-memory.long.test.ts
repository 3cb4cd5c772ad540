import { adminLaws } from '@mintmark/storage-interface/contract'
import { expect, test } from 'vitest'
import { memoryUnderTest } from './sqlite-under-test.ts'

test.for(adminLaws)('SQLite in memory keeps the law $name', async (law) => {
  await expect(law.run(() => memoryUnderTest())).resolves.toBeUndefined()
})
