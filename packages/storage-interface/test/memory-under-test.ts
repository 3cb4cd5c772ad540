import type { AdminStorage } from '@mintmark/storage-interface'
import type { StorageUnderTest } from '@mintmark/storage-interface/contract'
import { createMemoryDatabase, createMemoryStorage } from '@mintmark/storage-interface/memory'

/** A new memory database, with a scheduler hook where a real store would do input and output. */
export async function memoryUnderTest(
  scheduler: () => Promise<void> = async () => {},
): Promise<StorageUnderTest<AdminStorage>> {
  const database = createMemoryDatabase()
  return {
    open: async (issuer) => createMemoryStorage({ issuer, database, scheduler }),
    close: async () => {},
  }
}
