import { StorageUnavailableError } from './storage-unavailable.ts'

/**
 * Repeats a conditional write and the read that it rests on, or that says why it wrote nothing, until the row did not change
 * between the two. Of those who write a row at once one succeeds in each round: as many as there are rounds settle, each in
 * its turn.
 * @param attempt answers `undefined` when another writer got ahead, so that what was read explains nothing.
 * @throws StorageUnavailableError when it did every time: no crowd of writers is that large, so the store's reads are stale.
 */
export async function untilSettled<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  for (let count = 0; count < maxAttempts; count += 1) {
    const result = await attempt()
    if (result !== undefined) return result
  }
  throw new StorageUnavailableError('The row changed at every attempt')
}

const maxAttempts = 200
