import type { JsonObject } from './json.ts'
import type { EpochSeconds } from './time.ts'

/** What a store adds to the comparable form of an account and of a group alike: see `ListQuery`. */
export function knownMembers(id: string, row: Known): JsonObject {
  const meta = { created: row.createdAt * 1000, lastModified: row.updatedAt * 1000 }
  return row.externalId === undefined ? { id, meta } : { id, meta, externalId: row.externalId }
}

interface Known {
  readonly externalId: string | undefined
  readonly createdAt: EpochSeconds
  readonly updatedAt: EpochSeconds
}
