import { StorageUnavailableError } from '@mintmark/storage-interface'

/**
 * Repeats a conditional write and the look at why it wrote nothing, until the two agree. Each statement is atomic by
 * itself; `undefined` means that the row changed between them, so that what was seen explains nothing.
 * @throws StorageUnavailableError when the row changed every time.
 */
export async function untilSettled<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let count = 0; count < attempts; count += 1) {
    const outcome = await attempt()
    if (outcome !== undefined) return outcome
  }
  throw new StorageUnavailableError('The row changed at every attempt')
}

// Each round that fails means that another writer made progress on the same row.
const attempts = 20
