import { storageLaws } from '@mintmark/storage-interface/contract'
import { expect, test } from 'vitest'
import { fileUnderTest, memoryUnderTest } from './sqlite-under-test.ts'

test.for(storageLaws)('SQLite in memory keeps the law $name', async (law) => {
  await expect(law.run(() => memoryUnderTest())).resolves.toBeUndefined()
})

test.for(storageLaws)('SQLite in a file, a connection for each server, keeps the law $name', async (law) => {
  await expect(law.run(fileUnderTest)).resolves.toBeUndefined()
})
