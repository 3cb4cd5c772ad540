import { groupId, type EpochSeconds, type JsonObject, type ProvisionedUserRecord } from '@mintmark/storage-interface'
import {
  compareText,
  knownMembers,
  type GroupReference,
  type ListedUserRecord,
  type NewProvisionedUser,
  type ProvisionedState,
  type ProvisionedUserChange,
} from '@mintmark/storage-interface/stores'
import { columnsOf, provisionedUsers, type ColumnName } from '@mintmark/storage-interface/records'
import type { SqlEngine, SqlRow, SqlValue } from '../dialect.ts'
import { indexKeyOrNull } from '../keys.ts'
import { rowReader } from '../record-codec.ts'
import { createColumnReader } from '../row.ts'

/** The columns of a record, beside `groups`, a JSON list of pairs of identifier and name. */
export const provisionedColumns = columnsOf(provisionedUsers.fields).map(
  // A column of the record is a column of its table.
  ({ name }) => name as ColumnName<typeof provisionedUsers>,
)

const { claims: _, ...listedFields } = provisionedUsers.fields

/** The columns of a listed record, beside `groups`. */
export const listedUserColumns = columnsOf(listedFields).map(({ name }) => name)

export function provisionedUserReader(engine: SqlEngine): (row: SqlRow) => ProvisionedUserRecord {
  const read = rowReader(provisionedUsers.fields, engine)
  const readGroups = groupsReader(engine)
  // The reader sets every other member, of an object of its own.
  return (row) => Object.assign(read(row) as Omit<ProvisionedUserRecord, 'groups'>, { groups: readGroups(row) })
}

/** A page of a list has a hundred users: their claims are not read. */
export function listedUserReader(engine: SqlEngine): (row: SqlRow) => ListedUserRecord {
  const read = rowReader(listedFields, engine)
  const readGroups = groupsReader(engine)
  // The reader sets every other member, of an object of its own.
  return (row) => Object.assign(read(row) as Omit<ListedUserRecord, 'groups'>, { groups: readGroups(row) })
}

function groupsReader(engine: SqlEngine): (row: SqlRow) => readonly GroupReference[] {
  const columns = createColumnReader(engine)
  const { decodeText } = engine
  return (row) => {
    const pairs = columns.text(row, 'groups')
    // Most users of most directories are in no group.
    if (pairs === '[]') return []
    return (JSON.parse(pairs) as readonly (readonly [string, string])[])
      .map(([id, name]) => ({ groupId: groupId(decodeText(id)), displayName: decodeText(name) }))
      .toSorted((one, other) => compareText(one.groupId, other.groupId))
  }
}

/** The attributes that filters compare, of a row with its `comparable` as text: those, and what the store adds (see `ListQuery`). */
export function comparableReader(engine: SqlEngine): (row: SqlRow) => JsonObject {
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

/** The columns of `stateRow` that are unique within a provider. */
export const keyColumns = ['external_id_key', 'user_name_key'] as const

/** The others, which no index contains. */
export const contentColumns = ['active', 'claims', 'external_id', 'resource', 'resource_form', 'comparable'] as const

/** The columns of `stateRow`: everything that a change may set. */
export const stateColumns = [...contentColumns, ...keyColumns] as const

/** The state that a provider gives a user, as columns. */
export const stateRow = (
  { active, externalId, resource, resourceForm, comparable, claims }: ProvisionedState,
  engine: SqlEngine,
): Record<(typeof stateColumns)[number], SqlValue> => ({
  active: engine.encodeFlag(active),
  claims: JSON.stringify(claims),
  external_id: externalId ?? null,
  external_id_key: indexKeyOrNull(externalId),
  user_name_key: userNameKey(comparable),
  resource,
  resource_form: resourceForm ?? null,
  comparable: engine.encodeSearchable(comparable),
})

const userNameKey = ({ userName }: JsonObject): string | null =>
  indexKeyOrNull(typeof userName === 'string' ? userName : undefined)

/** The columns of a user without a provider. */
export const withoutProvider = {
  provider_id: null,
  external_id: null,
  external_id_key: null,
  user_name_key: null,
  adopted: null,
  resource: null,
  resource_form: null,
  comparable: null,
} as const

// A writer has the resource already, a kilobyte: RETURNING asks only for the columns that the store decides.

/** The columns of a changed user that the change does not contain, beside `groups`. */
export const assignedColumns = ['generation', 'created_at', 'adopted'] as const

/** The record after a change, from the change and the row of its `assignedColumns`. */
export function changedUserReader(
  engine: SqlEngine,
): (change: ProvisionedUserChange, row: SqlRow) => ProvisionedUserRecord {
  const columns = createColumnReader(engine)
  const readGroups = groupsReader(engine)
  return ({ providerId, userId, version, state, now }, row) => ({
    userId,
    providerId,
    ...recordOf(state),
    generation: columns.integer(row, 'generation'),
    adopted: columns.flag(row, 'adopted'),
    createdAt: columns.integer(row, 'created_at') as EpochSeconds,
    updatedAt: now,
    version: version + 1,
    groups: readGroups(row),
  })
}

/** The record of a new user. Its identifier is new, so it is in no group. */
export const insertedUser = ({ providerId, userId, state, createdAt }: NewProvisionedUser): ProvisionedUserRecord => ({
  userId,
  providerId,
  ...recordOf(state),
  generation: 0,
  adopted: false,
  createdAt,
  updatedAt: createdAt,
  version: 1,
  groups: [],
})

/** Only filters use the comparable form. */
const recordOf = ({ active, externalId, resource, resourceForm, claims }: ProvisionedState) => ({
  active,
  externalId,
  resource,
  resourceForm,
  claims,
})
