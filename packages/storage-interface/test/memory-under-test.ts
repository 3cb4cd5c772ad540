import type { StorageUnderTest } from '@mintmark/storage-interface/contract'
import { createMemoryMedium, createMemoryStorage, type Pause } from '@mintmark/storage-interface/memory'

/** A fresh medium with a turn of the event loop's queue wherever a real store would do input and output. */
export async function memoryUnderTest(pause: Pause = async () => {}): Promise<StorageUnderTest> {
  const medium = createMemoryMedium()
  return { open: async (issuer) => createMemoryStorage({ issuer, medium, pause }), close: async () => {} }
}
