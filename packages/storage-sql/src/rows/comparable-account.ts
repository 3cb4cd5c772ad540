import { epochSeconds, knownMembers, type JsonObject } from '@mintmark/storage-interface'
import type { ColumnReader } from '../row.ts'
import type { SqlEngine, SqlRow } from '../dialect.ts'

/** What filters are about, of an account's record and its `comparable` as text: that, and what the store adds (see `ListQuery`). */
export const comparableAccount =
  (read: ColumnReader, { decodeSearchable, decodeText }: SqlEngine) =>
  (row: SqlRow): JsonObject => {
    const groups = read.json(row, 'groups') as readonly (readonly [string, string])[]
    return {
      ...(decodeSearchable(read.text(row, 'comparable')) as JsonObject),
      ...knownMembers(read.text(row, 'user_id'), {
        externalId: read.optionalText(row, 'external_id'),
        createdAt: epochSeconds(read.integer(row, 'created_at')),
        updatedAt: epochSeconds(read.integer(row, 'updated_at')),
      }),
      active: read.flag(row, 'active'),
      groups: groups.map(([value]) => ({ value: decodeText(value) })),
    }
  }
