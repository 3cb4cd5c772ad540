/** The outcome of an insertion. `taken` means that the key already existed, and nothing was written. */
export type InsertOutcome = { readonly outcome: 'inserted' } | { readonly outcome: 'taken' }

/**
 * The outcome of using a single-use record. Only one caller ever gets `won`. Every later caller gets `replayed`, with the record as
 * the first caller received it. `absent` does not tell whether the record is unknown, has expired or belongs to somebody else.
 */
export type ConsumeOutcome<Record> =
  | { readonly outcome: 'won'; readonly record: Record }
  | { readonly outcome: 'replayed'; readonly record: Record }
  | { readonly outcome: 'absent' }

/** A write that happens only if the row still has the version that the caller read. `swapped` returns the row as it is now. */
export type SwapOutcome<Record> =
  | { readonly outcome: 'swapped'; readonly record: Record }
  | { readonly outcome: 'conflict' }
  | { readonly outcome: 'absent' }

/** The first caller to use a value gets `fresh`, all later ones `seen`. */
export type ReplayOutcome = { readonly outcome: 'fresh' } | { readonly outcome: 'seen' }

/** `revoked` for the caller who revoked the record, `unchanged` if it was revoked before, `absent` if it does not exist. */
export type RevokeOutcome =
  { readonly outcome: 'revoked' } | { readonly outcome: 'unchanged' } | { readonly outcome: 'absent' }

/**
 * The store cannot answer now: the connection is lost, the database is restarting, or a lock timed out.
 * Every method of every store may throw it, and throws nothing else on purpose. The server answers 503 with
 * `Retry-After`; it never treats an outage as "revoked" or as "active".
 */
export class StorageUnavailableError extends Error {
  override readonly name = 'StorageUnavailableError'

  constructor(message: string, options?: { readonly cause: unknown }) {
    super(message, options)
  }
}

/**
 * Repeats a conditional write and a read until the row does not change between the two. The write depends on the read, or the read
 * finds out why the write changed nothing. In each round one of the concurrent writers of a row succeeds, so as many writers
 * can finish as there are rounds.
 * @param attempt makes one attempt, and returns `undefined` if another writer changed the row between the write and the read.
 * @throws StorageUnavailableError if every attempt failed. More concurrent writers than rounds are implausible, so the store's reads
 * must be stale.
 */
export async function untilSettled<Result>(attempt: () => Promise<Result | undefined>): Promise<Result> {
  for (let count = 0; count < maxAttempts; count += 1) {
    const result = await attempt()
    if (result !== undefined) return result
  }
  throw new StorageUnavailableError('The row changed at every attempt')
}

const maxAttempts = 200
