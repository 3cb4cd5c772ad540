import type { AdminStorage } from '@mintmark/storage-interface'
import type { StorageUnderTest } from '@mintmark/storage-interface/contract'
import { createMemoryDatabase, createMemoryStorage, type SchedulerHook } from '@mintmark/storage-interface/memory'

/** A fresh medium with a turn of the event loop's queue wherever a real store would do input and output. */
export async function memoryUnderTest(pause: SchedulerHook = async () => {}): Promise<StorageUnderTest<AdminStorage>> {
  const medium = createMemoryDatabase()
  return {
    open: async (issuer) => createMemoryStorage({ issuer, database: medium, scheduler: pause }),
    close: async () => {},
  }
}
