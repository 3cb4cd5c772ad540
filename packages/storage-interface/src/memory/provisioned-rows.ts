import { groupId as asGroupId, userId as asUserId, type ProviderId, type UserId } from '../identifiers.ts'
import type { JsonObject } from '../json.ts'
import { knownMembers } from '../known-members.ts'
import type { GroupReference, ListedUserRecord, ProvisionedUserRecord } from '../provisioned-user.ts'
import { compareText } from '../filter/compare-text.ts'
import { groupsOf, memberIdsOf, type GroupTable } from './group-table.ts'
import type { ListedRow, Listing } from './list-page.ts'
import { rowsByAge, rowsHaving } from './provider-index.ts'
import { presentRow, type PresentUser, type Provisioning, type UserTable } from './user-table.ts'

/** The row of an account that has a provider. */
export type ProvisionedRow = PresentUser<Provisioning>

/** The account, if it is this provider's. */
export function ownRow(users: UserTable, providerId: ProviderId, userId: UserId): ProvisionedRow | undefined {
  const row = presentRow(users, userId)
  return row !== undefined && isOf(row, providerId) ? row : undefined
}

const isOf = (row: PresentUser, providerId: ProviderId): row is ProvisionedRow =>
  row.provisioning?.providerId === providerId

/** The account as its provider sees it. */
export const provisionedRecord = (groups: GroupTable, row: ProvisionedRow): ProvisionedUserRecord => ({
  ...listedRecord(groups, row),
  claims: row.record.claims,
})

function listedRecord(groups: GroupTable, { record, provisioning }: ProvisionedRow): ListedUserRecord {
  const { claims: _, ...account } = record
  const { providerId, externalId, adopted, resource, resourceForm } = provisioning
  return {
    ...account,
    providerId,
    externalId,
    adopted,
    resource,
    resourceForm,
    groups: referencesTo(groups, record.userId),
  }
}

function referencesTo(groups: GroupTable, userId: UserId): readonly GroupReference[] {
  const references = [...groupsOf(groups, userId)].flatMap((groupId) => {
    const group = groups.byId.get(groupId)
    return group === undefined ? [] : [{ groupId, displayName: group.record.displayName }]
  })
  return references.toSorted((one, other) => compareText(one.groupId, other.groupId))
}

/** The accounts of a provider. */
export function accountsOfProvider(
  { users, groups }: { readonly users: UserTable; readonly groups: GroupTable },
  providerId: ProviderId,
): Listing<UserId, ListedUserRecord> {
  const having = (name: string) => (text: string) => rowsHaving(users.byProvider, providerId, [name, text])
  return {
    byAge: rowsByAge(users.byProvider, providerId),
    lookups: new Map([
      ['id', { rows: 1, find: (id) => [asUserId(id)] }],
      ['externalId', { rows: 1, find: having('externalId') }],
      ['userName', { rows: 1, find: having('userName') }],
      ['emails.value', { rows: 10, find: having('emails.value') }],
      ['groups.value', { rows: 1000, find: (id) => [...memberIdsOf(groups, asGroupId(id))].map(asUserId) }],
    ]),
    row: (userId) => {
      const row = ownRow(users, providerId, userId)
      return row && listedAccount(groups, row)
    },
  }
}

function listedAccount(groups: GroupTable, row: ProvisionedRow): ListedRow<UserId, ListedUserRecord> {
  const { record, provisioning } = row
  return {
    id: record.userId,
    createdAt: record.createdAt,
    record: () => listedRecord(groups, row),
    comparable: (): JsonObject => ({
      ...provisioning.comparable,
      ...knownMembers(record.userId, { ...record, externalId: provisioning.externalId }),
      active: record.active,
      groups: [...groupsOf(groups, record.userId)].map((value) => ({ value })),
    }),
  }
}
