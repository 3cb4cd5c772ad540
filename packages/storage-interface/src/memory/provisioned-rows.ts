import { knownMembers } from '../filter/find-candidates.ts'
import { compareText } from '../filter/matches-filter.ts'
import {
  type JsonObject,
  type ProviderId,
  type UserId,
  groupId as asGroupId,
  userId as asUserId,
  utf8Length,
} from '../values.ts'
import type { ListQuery } from '../resource-list.ts'
import type { GroupReference, ListedUserRecord, ProvisionedUserRecord } from '../provisioned-user.ts'
import { type GroupTable, groupsOf, memberIdsOf } from './group-table.ts'
import type { ListedRow, Listing } from './list-page.ts'
import { findByText, rowsByAge } from './provider-index.ts'
import { type PresentUser, presentRow, type Provisioning, type UserTable } from './users.ts'

/** The row of a user who has a provider. */
export type ProvisionedRow = PresentUser<Provisioning>

/** Returns the user, if the user belongs to this provider. */
export function findOwnRow(users: UserTable, providerId: ProviderId, userId: UserId): ProvisionedRow | undefined {
  const row = presentRow(users, userId)
  return row !== undefined && belongsTo(row, providerId) ? row : undefined
}

const belongsTo = (row: PresentUser, providerId: ProviderId): row is ProvisionedRow =>
  row.provisioning?.providerId === providerId

/** Returns the user as the provider sees it. */
export const provisionedRecord = (
  groups: GroupTable,
  row: ProvisionedRow,
  without?: ListQuery['without'],
): ProvisionedUserRecord => {
  const { record, provisioning } = row
  const references = referencesTo(groups, record.userId)
  const isLeftOut = without === 'groups' && references.length > 0
  return { ...record, ...columnsOf(provisioning), groups: isLeftOut ? undefined : references }
}

/** The members of a record that the provider set. */
const columnsOf = ({ providerId, externalId, adopted, resource, renderKey }: Provisioning) => ({
  providerId,
  externalId,
  adopted,
  resource,
  renderKey,
})

function listedRecord(groups: GroupTable, { record, provisioning }: ProvisionedRow): ListedUserRecord {
  const { userId, active, createdAt, updatedAt, version } = record
  const { externalId, resource, renderKey } = provisioning
  const account = { userId, active, createdAt, updatedAt, version, externalId, resource, renderKey }
  return { ...account, groups: referencesTo(groups, userId) }
}

function referencesTo(groups: GroupTable, userId: UserId): readonly GroupReference[] {
  const references = [...groupsOf(groups, userId)].flatMap((groupId) => {
    const group = groups.byId.get(groupId)
    return group === undefined ? [] : [{ groupId, displayName: group.record.displayName }]
  })
  return references.toSorted((one, other) => compareText(one.groupId, other.groupId))
}

/** The number of bytes that a group takes in a response, without its name. */
const groupBytes = 200

/** Lists the users of a provider. */
export function usersOfProvider(
  { users, groups }: { readonly users: UserTable; readonly groups: GroupTable },
  providerId: ProviderId,
): Listing<UserId, ListedUserRecord> {
  const having = (name: string) => (text: string) => findByText(users.byProvider, providerId, [name, text])
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
      const row = findOwnRow(users, providerId, userId)
      return row && listedRow(groups, row)
    },
    sizeOf: ({ resource, groups: references = [] }) =>
      utf8Length(resource) + references.reduce((sum, { displayName }) => sum + utf8Length(displayName) + groupBytes, 0),
  }
}

function listedRow(groups: GroupTable, row: ProvisionedRow): ListedRow<UserId, ListedUserRecord> {
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
