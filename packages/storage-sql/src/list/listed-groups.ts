import { sql } from 'kysely'
import { pathOf } from '../filter/json-scope.ts'
import type { Sql } from '../json-search.ts'
import { isProviders } from '../is-providers.ts'
import { groupRecordColumns } from '../rows/group-row.ts'
import type { ListedKind } from './listed-kind.ts'
import { anyRow, byKey, inProvider, lookup } from './lookup.ts'
import { providerRows } from './provider-rows.ts'

/** Groups of a provider. */
export const listedGroups: ListedKind = {
  table: 'mintmark_groups',
  id: 'group_id',
  rows: providerRows('Group'),
  from: sql.table('mintmark_groups'),
  document: ofGroups('comparable'),
  documentPath: pathOf,
  record: sql`${sql.join(groupRecordColumns.map(ofGroups))}`,
  columns: new Map([
    ['id', { kind: 'text', column: ofGroups('group_id') }],
    ['externalId', { kind: 'text', column: ofGroups('external_id') }],
    ['meta.created', { kind: 'number', column: sql`(${ofGroups('created_at')} * 1000)` }],
    ['meta.lastModified', { kind: 'number', column: sql`(${ofGroups('updated_at')} * 1000)` }],
  ]),
  memberships: {
    attribute: 'members',
    from: (alias) => sql`(select member_id as value, lower(member_type) as type from mintmark_group_members
      where mintmark_group_members.issuer = mintmark_groups.issuer
      and mintmark_group_members.group_id = mintmark_groups.group_id) as ${sql.ref(alias)}`,
    parts: ['value', 'type'],
  },
  lookups: new Map([
    ['id', lookup({ table: 'mintmark_groups', id: 'group_id', by: 'group_id', rows: 1, row: isProviders })],
    [
      'externalId',
      lookup({
        table: 'mintmark_groups',
        id: 'group_id',
        by: 'external_id_key',
        rows: 1,
        row: inProvider,
        indexed: byKey,
      }),
    ],
    [
      'displayName',
      lookup({
        table: 'mintmark_groups',
        id: 'group_id',
        by: 'display_name_key',
        rows: 10,
        row: isProviders,
        indexed: byKey,
      }),
    ],
    [
      'members.value',
      lookup({ table: 'mintmark_group_members', id: 'group_id', by: 'member_id', rows: 100, row: anyRow }),
    ],
  ]),
}

function ofGroups(column: string): Sql {
  return sql`${sql.ref(`mintmark_groups.${column}`)}`
}
