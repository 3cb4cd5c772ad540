import type { FilterAttribute } from '@mintmark/storage-interface'
import { sql } from 'kysely'
import type { SqlEngine } from '../dialect.ts'
import { pathOf } from '../filter/json-scope.ts'
import type { Sql } from '../json-search.ts'
import { userRecordColumns } from '../rows/user-row.ts'
import type { ListedKind, ListedRows } from './listed-kind.ts'
import { anyRow, lookup } from './lookup.ts'

/** All accounts of an issuer, whoever provisioned them. */
export const allAccounts = ({ searchedJson }: SqlEngine): ListedKind => ({
  table: 'mintmark_users',
  id: 'user_id',
  rows,
  ...searchedJson('mintmark_users', 'claims'),
  documentPath: pathInClaims,
  record: sql`${sql.join(userRecordColumns.map(ofUsers))}`,
  columns: new Map([
    ['id', { kind: 'text', column: ofUsers('user_id') }],
    ['active', { kind: 'boolean', column: ofUsers('active') }],
    ['provider', { kind: 'text', column: ofUsers('provider_id') }],
    ['created', { kind: 'number', column: sql`(${ofUsers('created_at')} * 1000)` }],
    ['updated', { kind: 'number', column: sql`(${ofUsers('updated_at')} * 1000)` }],
  ]),
  memberships: undefined,
  lookups: new Map([
    ['id', lookup({ table: 'mintmark_users', id: 'user_id', by: 'user_id', rows: 1, row: isNotRemoved })],
    ['provider', lookup({ table: 'mintmark_users', id: 'user_id', by: 'provider_id', rows: 1000, row: anyRow })],
  ]),
})

const isNotRemoved = (): Sql => sql`removed_at is null`

const rows: ListedRows = {
  every: (p) => sql`issuer = ${p('issuer')} and ${isNotRemoved()}`,
  one: isNotRemoved,
  total: (p) => sql`coalesce((select total from mintmark_account_totals where issuer = ${p('issuer')}), 0)`,
}

function pathInClaims(attribute: FilterAttribute): readonly string[] | undefined {
  const [first, ...path] = pathOf(attribute)
  // A path of SQLite cannot name these, and no claim is called so.
  return first === 'claims' && !path.some((name) => /["\\\p{Cc}]/u.test(name)) ? path : undefined
}

function ofUsers(column: string): Sql {
  return sql`${sql.ref(`mintmark_users.${column}`)}`
}
