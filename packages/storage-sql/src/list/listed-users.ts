import type { EpochSeconds, JsonObject } from '@mintmark/storage-interface'
import { columnsOf, provisionedUsers } from '@mintmark/storage-interface/records'
import { knownMembers, type GroupReference, type ListedUserRecord } from '@mintmark/storage-interface/stores'
import type { SqlEngine, SqlRow } from '../dialect.ts'
import { rowReader } from '../record-table.ts'
import { createColumnReader } from '../row.ts'

const { userId, active, createdAt, updatedAt, version, externalId, resource, renderKey } = provisionedUsers.fields
const listedFields = { userId, active, createdAt, updatedAt, version, externalId, resource, renderKey }

/** The columns of a listed record, besides `groups`. */
export const listedUserColumns = columnsOf(listedFields).map(({ name }) => name)

/**
 * Returns two functions that read a row of a list of users: `read` returns the record, and `comparable` returns the attributes
 * that filters compare.
 */
export const listedUserReaders = (engine: SqlEngine, readGroups: ReadGroups) => ({
  read: listedUserReader(engine, readGroups),
  comparable: comparableReader(engine),
})

type ReadGroups = (row: SqlRow) => readonly GroupReference[]

function listedUserReader(engine: SqlEngine, readGroups: ReadGroups): (row: SqlRow) => ListedUserRecord {
  const read = rowReader(listedFields, engine)
  // `read` returns a new object with every member except `groups`.
  return (row) =>
    Object.assign(read(row) as Omit<ListedUserRecord, 'groups'>, {
      groups: row.indexByColumn.has('groups') ? readGroups(row) : undefined,
    })
}

/** Reads the attributes that filters compare: those in the column `comparable`, and those that the store adds (see `ListQuery`). */
function comparableReader(engine: SqlEngine): (row: SqlRow) => JsonObject {
  const columns = createColumnReader(engine)
  return (row) => {
    const groups = columns.json(row, 'groups') as readonly (readonly [string, string])[]
    return {
      ...(engine.decodeSearchable(columns.text(row, 'comparable')) as JsonObject),
      ...knownMembers(columns.text(row, 'user_id'), {
        externalId: columns.optionalText(row, 'external_id'),
        createdAt: columns.integer(row, 'created_at') as EpochSeconds,
        updatedAt: columns.integer(row, 'updated_at') as EpochSeconds,
      }),
      active: columns.flag(row, 'active'),
      groups: groups.map(([value]) => ({ value: engine.decodeText(value) })),
    }
  }
}
