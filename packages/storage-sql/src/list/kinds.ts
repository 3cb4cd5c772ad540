import type { FilterAttribute } from '@mintmark/storage-interface/stores'
import { columnsOf, groups, users, type Fields } from '@mintmark/storage-interface/records'
import { sql } from 'kysely'
import type { SqlEngine } from '../dialect.ts'
import type { Sql } from '../json-search.ts'
import { belongsToProvider } from '../row.ts'
import { pathOf } from './filter-scopes.ts'
import { type ListedKind, type ListedRows, type OwnerValue, smallPageBytes } from './listed-kind.ts'
import type { Parameter } from '../database.ts'
import {
  ageIndex,
  changeIndex,
  identifierIndex,
  indexName,
  labelOf,
  membershipIndex,
  type NarrowIndexes,
  createTableIndexes,
  createValueIndex,
} from './narrow-index.ts'
import { anyRow, byBeginning, byKey, inProvider, createLookup, providerRows } from './lookup.ts'
import { orderName } from '../migrations/0001/user-value-triggers.ts'
import type { IndexedAttributes } from './indexed-attributes.ts'
import { groupsInLookup, groupsOfUser } from '../groups-of-a-user.ts'
import { listedUserColumns } from './listed-users.ts'

/** Creates the kind of list that contains all users of an issuer, provisioned or not. */
export const createUserListKind = ({ searchedJson }: SqlEngine): ListedKind => ({
  table: 'mintmark_users',
  id: 'user_id',
  rows,
  ageIndex: 'mintmark_users_by_creation',
  ...searchedJson('mintmark_users', 'claims'),
  documentPath: pathInClaims,
  record: sql`${sql.join(columnNames(users.fields).map(ofUsers))}`,
  size: sql`octet_length(${ofUsers('claims')})`,
  narrow: undefined,
  columns: new Map([
    ['id', { kind: 'text', column: ofUsers('user_id') }],
    ['active', { kind: 'boolean', column: ofUsers('active') }],
    ['provider', { kind: 'text', column: ofUsers('provider_id') }],
    ['created', { kind: 'number', column: sql`(${ofUsers('created_at')} * 1000)` }],
    ['updated', { kind: 'number', column: sql`(${ofUsers('updated_at')} * 1000)` }],
  ]),
  memberships: undefined,
  lookups: new Map([
    ['id', createLookup({ table: 'mintmark_users', id: 'user_id', by: 'user_id', rows: 1, row: isNotRemoved })],
    ['provider', createLookup({ table: 'mintmark_users', id: 'user_id', by: 'provider_id', rows: 1000, row: anyRow })],
  ]),
})

const isNotRemoved = (): Sql => sql`removed_at is null`

const rows: ListedRows = {
  every: (p) => sql`issuer = ${p('issuer')} and ${isNotRemoved()}`,
  one: isNotRemoved,
  total: (p) => sql`coalesce((select total from mintmark_user_totals where issuer = ${p('issuer')}), 0)`,
}

function pathInClaims(attribute: FilterAttribute): readonly string[] | undefined {
  const [first, ...path] = pathOf(attribute)
  // SQLite paths cannot contain these characters, and no claim has such a name.
  return first === 'claims' && !path.some((name) => /["\\\p{Cc}]/u.test(name)) ? path : undefined
}

/** The users of a provider. */
export const createProvisionedUserListKind = (
  engine: SqlEngine,
  declared: Pick<IndexedAttributes, 'indexOf'>,
): ListedKind => ({
  table: 'mintmark_users',
  id: 'user_id',
  rows: providerRows('User'),
  ageIndex: 'mintmark_users_by_age',
  from: sql.table('mintmark_users'),
  document: ofUsers('comparable'),
  documentPath: pathOf,
  record: sql`${sql.join(listedUserColumns.map(ofUsers))}, ${engine.jsonPairs(groupsOfUser)} as "groups"`,
  recordWithoutGroups: sql`${sql.join(listedUserColumns.map(ofUsers))}`,
  recordInLookup: sql`${sql.join(listedUserColumns.map(ofUsers))}, ${engine.jsonPairs({ ...groupsOfUser, limit: sql.lit(groupsInLookup) })} as "groups"`,
  size: sql`octet_length(${ofUsers('resource')})`,
  recordInPage: (p) => userInPage(engine.jsonPairs(groupsOfUser), p),
  groupsSize: (p) => sizeInPage(sql`${engine.sumOfPairs(groupsOfUser, (name) => sql`octet_length(${name}) + 200`)}`, p),
  withFewGroups: {
    record: (p) => userInPage(engine.jsonPairs(fewGroupsOfUser), p),
    // An integer, because PostgreSQL adds decimal numbers slowly. Few groups have some megabytes at most.
    size: (p) =>
      sql`octet_length(${ofUsers('resource')}) + ${sizeInPage(
        sql`cast(${engine.sumOfPairs(fewGroupsOfUser, (name) => sql`octet_length(${name}) + ${sql.lit(bytesOfGroup)}`)} as integer)`,
        p,
      )}`,
  },
  narrow: userIndexes(declared),
  columns: new Map([
    ['id', { kind: 'text', column: ofUsers('user_id') }],
    ['externalId', { kind: 'text', column: ofUsers('external_id') }],
    ['active', { kind: 'boolean', column: ofUsers('active') }],
    ['meta.created', { kind: 'number', column: sql`(${ofUsers('created_at')} * 1000)` }],
    ['meta.lastModified', { kind: 'number', column: sql`(${ofUsers('updated_at')} * 1000)` }],
  ]),
  memberships: {
    attribute: 'groups',
    index: 'mintmark_group_members_by_member',
    of: (alias) =>
      sql`${sql.ref(`${alias}.issuer`)} = mintmark_users.issuer and ${sql.ref(`${alias}.member_id`)} = mintmark_users.user_id`,
    parts: new Map([['value', (alias) => sql`${sql.ref(`${alias}.group_id`)}`]]),
  },
  lookups: userLookups,
})

const userInPage = (groups: Sql, p: Parameter<OwnerValue>): Sql =>
  sql`${sql.join(listedUserColumns.map(ofUsers))}, case when ${hasGroups(p)} then ${groups} else '[]' end as "groups"`

const sizeInPage = (sizeOfGroups: Sql, p: Parameter<OwnerValue>): Sql =>
  sql`case when ${hasGroups(p)} then coalesce(${sizeOfGroups}, 0) else 0 end`

/** Whether the provider has groups: many have none. The database finds this out once for a page, instead of the groups of each user. */
const hasGroups = (p: Parameter<OwnerValue>): Sql => sql`${providerRows('Group').total(p)} > 0`

const userLookups: ListedKind['lookups'] = new Map([
  ['id', createLookup({ table: 'mintmark_users', id: 'user_id', by: 'user_id', rows: 1, row: belongsToProvider })],
  [
    'externalId',
    createLookup({
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
    createLookup({
      table: 'mintmark_users',
      id: 'user_id',
      by: 'user_name_key',
      rows: 1,
      row: inProvider,
      indexed: byKey,
    }),
  ],
  [
    'emails.value',
    createLookup({
      table: 'mintmark_user_values',
      id: 'user_id',
      by: 'value',
      rows: 10,
      row: (p) => sql`${inProvider(p)} and attribute = 'emails.value' and kind = 0`,
      indexed: byBeginning,
    }),
  ],
  [
    'groups.value',
    createLookup({ table: 'mintmark_group_members', id: 'member_id', by: 'group_id', rows: 1000, row: anyRow }),
  ],
])

/** A group of a user counts like this many bytes of a resource: a thousand groups take a few milliseconds to read. */
const bytesOfGroup = 250

const fewGroupsOfUser = { ...groupsOfUser, limit: sql.lit(Math.ceil(smallPageBytes / bytesOfGroup)) }

/** Returns the narrow indexes of users. Each is created once, because indexes are compared by identity. */
function userIndexes({ indexOf }: Pick<IndexedAttributes, 'indexOf'>): NarrowIndexes {
  const byUserName = createValueIndex('userName', 'single')
  const byEmail = createValueIndex('emails.value', 'several')
  const ofChange = new Set(changeIndex.columns.keys())
  const singleIndex = (label: string) => (label === 'userName' ? byUserName : indexOf(label, 'single'))
  return {
    bySingle: (attribute) => {
      const label = labelOf(attribute)
      return ofChange.has(label) ? changeIndex : singleIndex(label)
    },
    bySeveral: (list, part) => {
      const label = `${labelOf(list)}.${labelOf(part)}`
      return label === 'emails.value' ? byEmail : indexOf(label, 'several')
    },
    byMembership: (list, part) =>
      `${labelOf(list)}.${labelOf(part)}` === 'groups.value' ? membershipIndex : undefined,
    byAge: ageIndex,
    byOrder: ({ attribute, elementPart }) => {
      const label = indexName({ attribute, elementPart })
      if (attribute.multiValued) return indexOf(orderName(label), 'single')
      if (label === 'meta.lastModified') return changeIndex
      if (label === 'meta.created') return ageIndex
      return label === 'id' ? identifierIndex : singleIndex(label)
    },
  }
}

function ofUsers(column: string): Sql {
  return sql`${sql.ref(`mintmark_users.${column}`)}`
}

const groupsOfProvider: ListedRows['every'] = (p) =>
  sql`mintmark_groups.issuer = ${p('issuer')} and mintmark_groups.provider_id = ${p('provider_id')}`

/** The groups of a provider. */
export const listedGroups: ListedKind = {
  table: 'mintmark_groups',
  id: 'group_id',
  rows: providerRows('Group'),
  ageIndex: 'mintmark_groups_by_age',
  from: sql.table('mintmark_groups'),
  document: ofGroups('comparable'),
  documentPath: pathOf,
  record: sql`${sql.join(columnNames(groups.fields).map(ofGroups))}`,
  size: sql`octet_length(${ofGroups('resource')})`,
  narrow: createTableIndexes({ table: 'mintmark_groups', id: 'group_id', scope: groupsOfProvider }, [
    { label: 'displayName', column: 'display_name_key', isInEveryRow: true },
    { label: 'externalId', column: 'external_id_key', isInEveryRow: false },
  ]),
  columns: new Map([
    ['id', { kind: 'text', column: ofGroups('group_id') }],
    ['externalId', { kind: 'text', column: ofGroups('external_id') }],
    ['meta.created', { kind: 'number', column: sql`(${ofGroups('created_at')} * 1000)` }],
    ['meta.lastModified', { kind: 'number', column: sql`(${ofGroups('updated_at')} * 1000)` }],
  ]),
  memberships: {
    attribute: 'members',
    index: 'PRIMARY',
    of: (alias) =>
      sql`${sql.ref(`${alias}.issuer`)} = mintmark_groups.issuer and ${sql.ref(`${alias}.group_id`)} = mintmark_groups.group_id`,
    parts: new Map([
      ['value', (alias) => sql`${sql.ref(`${alias}.member_id`)}`],
      ['type', (alias) => sql`lower(${sql.ref(`${alias}.member_type`)})`],
    ]),
  },
  lookups: new Map([
    ['id', createLookup({ table: 'mintmark_groups', id: 'group_id', by: 'group_id', rows: 1, row: belongsToProvider })],
    [
      'externalId',
      createLookup({
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
      createLookup({
        table: 'mintmark_groups',
        id: 'group_id',
        by: 'display_name_key',
        rows: 10,
        row: belongsToProvider,
        indexed: byKey,
      }),
    ],
    [
      'members.value',
      createLookup({ table: 'mintmark_group_members', id: 'group_id', by: 'member_id', rows: 100, row: anyRow }),
    ],
  ]),
}

function ofGroups(column: string): Sql {
  return sql`${sql.ref(`mintmark_groups.${column}`)}`
}

function columnNames(fields: Fields): readonly string[] {
  return columnsOf(fields).map(({ name }) => name)
}
