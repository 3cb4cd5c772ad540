import { sql } from 'kysely'
import type { SqlEngine } from '../dialect.ts'
import { pathOf } from '../filter/json-scope.ts'
import type { Sql } from '../json-search.ts'
import { isProviders } from '../is-providers.ts'
import { listedUserColumns } from '../rows/provisioned-user-row.ts'
import { groupsOfUser } from '../stores/provisioned-user-statements.ts'
import type { ListedKind } from './listed-kind.ts'
import { anyRow, byBeginning, byKey, inProvider, lookup } from './lookup.ts'
import { providerRows } from './provider-rows.ts'

/** Accounts of a provider. */
export const listedAccounts = ({ jsonPairs }: SqlEngine): ListedKind => ({
  table: 'mintmark_users',
  id: 'user_id',
  rows: providerRows('User'),
  from: sql.table('mintmark_users'),
  document: ofUsers('comparable'),
  documentPath: pathOf,
  record: sql`${sql.join(listedUserColumns.map(ofUsers))}, ${jsonPairs(groupsOfUser)} as "groups"`,
  columns: new Map([
    ['id', { kind: 'text', column: ofUsers('user_id') }],
    ['externalId', { kind: 'text', column: ofUsers('external_id') }],
    ['active', { kind: 'boolean', column: ofUsers('active') }],
    ['meta.created', { kind: 'number', column: sql`(${ofUsers('created_at')} * 1000)` }],
    ['meta.lastModified', { kind: 'number', column: sql`(${ofUsers('updated_at')} * 1000)` }],
  ]),
  memberships: {
    attribute: 'groups',
    from: (alias) => sql`(select group_id as value from mintmark_group_members
      where mintmark_group_members.issuer = mintmark_users.issuer
      and mintmark_group_members.member_id = mintmark_users.user_id) as ${sql.ref(alias)}`,
    parts: ['value'],
  },
  lookups: new Map([
    ['id', lookup({ table: 'mintmark_users', id: 'user_id', by: 'user_id', rows: 1, row: isProviders })],
    [
      'externalId',
      lookup({
        table: 'mintmark_users',
        id: 'user_id',
        by: 'external_id_key',
        rows: 1,
        row: inProvider,
        indexed: byKey,
      }),
    ],
    [
      'userName',
      lookup({ table: 'mintmark_users', id: 'user_id', by: 'user_name_key', rows: 1, row: inProvider, indexed: byKey }),
    ],
    [
      'emails.value',
      lookup({
        table: 'mintmark_user_emails',
        id: 'user_id',
        by: 'value',
        rows: 10,
        row: inProvider,
        indexed: byBeginning,
      }),
    ],
    [
      'groups.value',
      lookup({ table: 'mintmark_group_members', id: 'member_id', by: 'group_id', rows: 1000, row: anyRow }),
    ],
  ]),
})

function ofUsers(column: string): Sql {
  return sql`${sql.ref(`mintmark_users.${column}`)}`
}
