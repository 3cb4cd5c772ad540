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
