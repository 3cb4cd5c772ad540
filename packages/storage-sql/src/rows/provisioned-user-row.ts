import {
  compareText,
  groupId,
  providerId,
  type GroupReference,
  type JsonObject,
  type JsonText,
  type ListedUserRecord,
  type ProvisionedState,
  type ProvisionedUserRecord,
} from '@mintmark/storage-interface'
import { json, orNull, type ColumnReader } from '../row.ts'
import type { SqlEngine, SqlRow, SqlValue } from '../dialect.ts'
import { indexKeyOrNull } from '../keys.ts'
import { accountReader } from './user-row.ts'

/** What a row of `mintmark_users` has when the account is an identity provider's; all of them empty when it is not. */
export const provisioningColumns = [
  'provider_id',
  'external_id',
  // The keys are what is unique: the texts may be too long for an index.
  'external_id_key',
  'user_name_key',
  'adopted',
  'resource',
  'resource_form',
  'comparable',
] as const

type ProvisioningRow = Record<(typeof provisioningColumns)[number], SqlValue>

/** The columns of `stateRow` that are unique within a provider. */
export const keyColumns = ['external_id_key', 'user_name_key'] as const

/** The others: they stand in no index of the table. */
export const contentColumns = ['active', 'claims', 'external_id', 'resource', 'resource_form', 'comparable'] as const

/** The columns of `stateRow`: everything that a change may set. */
export const stateColumns = [...contentColumns, ...keyColumns] as const

/** What a provider says of an account. */
export const stateRow = (
  { active, externalId, resource, resourceForm, comparable, claims }: ProvisionedState,
  engine: SqlEngine,
): Record<(typeof stateColumns)[number], SqlValue> => ({
  active: engine.encodeFlag(active),
  claims: json(claims),
  external_id: orNull(externalId),
  external_id_key: indexKeyOrNull(externalId),
  user_name_key: userNameKey(comparable),
  resource,
  resource_form: orNull(resourceForm),
  comparable: engine.encodeSearchable(comparable),
})

/** Of an account that has no provider, or none any more. */
export const withoutProvider: Readonly<ProvisioningRow> = {
  provider_id: null,
  external_id: null,
  external_id_key: null,
  user_name_key: null,
  adopted: null,
  resource: null,
  resource_form: null,
  comparable: null,
}

/** The columns of a record, beside `groups`: a JSON list of pairs of identifier and name. */
export const provisionedColumns = [
  'user_id',
  'active',
  'generation',
  'claims',
  'created_at',
  'updated_at',
  'version',
  'provider_id',
  'external_id',
  'adopted',
  'resource',
  'resource_form',
] as const

export function provisionedUserReader(read: ColumnReader, engine: SqlEngine) {
  const listed = listedUserReader(read, engine)
  return (row: SqlRow): ProvisionedUserRecord => ({ ...listed(row), claims: read.json(row, 'claims') as JsonObject })
}

/** The columns of a listed record, beside `groups`. */
export const listedUserColumns = provisionedColumns.filter((column) => column !== 'claims')

export function listedUserReader(read: ColumnReader, engine: SqlEngine) {
  const account = accountReader(read)
  return (row: SqlRow): ListedUserRecord => ({
    ...account(row),
    providerId: providerId(read.text(row, 'provider_id')),
    externalId: read.optionalText(row, 'external_id'),
    adopted: read.flag(row, 'adopted'),
    resource: read.text(row, 'resource') as JsonText,
    resourceForm: read.optionalText(row, 'resource_form'),
    groups: readGroups(read.text(row, 'groups'), engine),
  })
}

export function readGroups(pairs: string, { decodeText }: SqlEngine): readonly GroupReference[] {
  // Most accounts of most providers are in none.
  if (pairs === '[]') return []
  return (JSON.parse(pairs) as readonly (readonly [string, string])[])
    .map(([id, name]) => ({ groupId: groupId(decodeText(id)), displayName: decodeText(name) }))
    .toSorted((one, other) => compareText(one.groupId, other.groupId))
}

const userNameKey = ({ userName }: JsonObject): string | null =>
  indexKeyOrNull(typeof userName === 'string' ? userName : undefined)
