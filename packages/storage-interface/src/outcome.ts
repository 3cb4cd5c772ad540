/** A first insertion: `taken` means that the key was there before, and nothing was written. */
export type InsertOutcome = { readonly outcome: 'inserted' } | { readonly outcome: 'taken' }

/**
 * Single use. `won` is answered to exactly one caller, ever; every later caller is told `replayed` with the record as the
 * winner received it. `absent` covers unknown, expired and not the caller's: they are not told apart.
 */
export type ConsumeOutcome<Record> =
  | { readonly outcome: 'won'; readonly record: Record }
  | { readonly outcome: 'replayed'; readonly record: Record }
  | { readonly outcome: 'absent' }

/** A write that holds only if the row still carries the version that the caller read. `swapped` returns the row as it is now. */
export type SwapOutcome<Record> =
  | { readonly outcome: 'swapped'; readonly record: Record }
  | { readonly outcome: 'conflict' }
  | { readonly outcome: 'absent' }

/** The first caller to claim a value finds it `fresh`; everybody after that has `seen` it. */
export type ReplayOutcome = { readonly outcome: 'fresh' } | { readonly outcome: 'seen' }

/** An end that is reached once: `ended` for whoever ended it, `unchanged` when it had ended before, `absent` when it never was. */
export type RevokeOutcome =
  { readonly outcome: 'ended' } | { readonly outcome: 'unchanged' } | { readonly outcome: 'absent' }

/**
 * The store cannot answer now: the connection is lost, the database restarts, a lock was not had in time.
 * Every method of every store may throw it, and throws nothing else on purpose. The server answers 503 with
 * `Retry-After`; it never reads an outage as "revoked" or as "active".
 */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError'

  constructor(message: string, options?: { readonly cause: unknown }) {
    super(message, options)
  }
}

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
