import {
  epochSeconds,
  groupId,
  providerId,
  type GroupRecord,
  type GroupState,
  type JsonObject,
} from '@mintmark/storage-interface'
import { json, orNull, type ColumnReader } from '../row.ts'
import type { SqlEngine, SqlRow, SqlValue } from '../dialect.ts'
import { indexKeyOrNull } from '../keys.ts'

export const groupColumns = [
  'issuer',
  'group_id',
  'provider_id',
  'external_id',
  // The keys are what is looked up: the texts may be too long for an index.
  'external_id_key',
  'display_name',
  'display_name_key',
  'resource',
  'comparable',
  'created_at',
  'updated_at',
  'version',
] as const

/** The columns of `groupStateRow`. */
export const groupStateColumns = [
  'external_id',
  'external_id_key',
  'display_name',
  'display_name_key',
  'resource',
  'comparable',
] as const

/** What a provider says of a group. */
export const groupStateRow = (
  { externalId, displayName, resource, comparable }: GroupState,
  engine: SqlEngine,
): Record<(typeof groupStateColumns)[number], SqlValue> => ({
  external_id: orNull(externalId),
  external_id_key: indexKeyOrNull(externalId),
  display_name: displayName,
  display_name_key: displayNameKey(comparable),
  resource: json(resource),
  comparable: engine.encodeSearchable(comparable),
})

/** The columns of a record. */
export const groupRecordColumns = [
  'group_id',
  'provider_id',
  'external_id',
  'display_name',
  'resource',
  'created_at',
  'updated_at',
  'version',
] as const

export const groupReader =
  (read: ColumnReader) =>
  (row: SqlRow): GroupRecord => ({
    groupId: groupId(read.text(row, 'group_id')),
    providerId: providerId(read.text(row, 'provider_id')),
    externalId: read.optionalText(row, 'external_id'),
    displayName: read.text(row, 'display_name'),
    resource: read.json(row, 'resource') as JsonObject,
    createdAt: epochSeconds(read.integer(row, 'created_at')),
    updatedAt: epochSeconds(read.integer(row, 'updated_at')),
    version: read.integer(row, 'version'),
  })

const displayNameKey = ({ displayName }: JsonObject): string | null =>
  indexKeyOrNull(typeof displayName === 'string' ? displayName : undefined)
