import { randomIdentifier, type Clock, type Random } from '@mintmark/core/runtime'
import { after, type DurationSeconds, type JsonObject, type Storage } from '@mintmark/storage-interface'

/** Where acts, and the requests of providers, are written down. */
export interface AuditLog {
  /** @throws StorageUnavailableError and whatever else a store throws: then nothing was written. */
  append(entry: { readonly log: string; readonly type: string; readonly detail: JsonObject }): Promise<void>
}

/**
 * A log in storage. Entries of one process stand in the order in which they were written; those of several processes
 * in the same second stand in any.
 */
export function createAuditLog(deps: {
  readonly storage: Pick<Storage, 'logs'>
  readonly clock: Clock
  readonly random: Random
  readonly retention: DurationSeconds
}): AuditLog {
  let count = 0

  return {
    async append({ log, type, detail }) {
      const at = deps.clock()
      count += 1
      const entryId = `${String(count).padStart(12, '0')}-${randomIdentifier(deps.random)}`
      await deps.storage.logs.append({ entryId, log, at, expiresAt: after(at, deps.retention), type, detail })
    },
  }
}
