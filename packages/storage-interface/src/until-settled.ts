import { StorageUnavailableError } from './storage-unavailable.ts'

/**
 * Repeats a read and the conditional write that rests on it, until the row did not change between the two.
 * @param attempt answers `undefined` when another writer got ahead.
 * @throws StorageUnavailableError when it did every time: no crowd of writers is that large, so the store's reads are stale.
 */
export async function untilSettled<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  for (let count = 0; count < maxAttempts; count += 1) {
    const result = await attempt()
    if (result !== undefined) return result
  }
  throw new StorageUnavailableError('The row changed at every attempt')
}

const maxAttempts = 20
