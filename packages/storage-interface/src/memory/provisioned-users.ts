import type { ProviderId, UserId } from '../identifiers.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type {
  GroupReference,
  ProvisionedState,
  ProvisionedUserChange,
  ProvisionedUserRecord,
  ProvisionedUserStore,
  ProvisionOutcome,
  RemovalRequest,
  TakenKey,
} from '../provisioned-user.ts'
import { compareText } from '../filter/compare-text.ts'
import { groupsOf } from './group-table.ts'
import { listPage, type ListedRow } from './list-page.ts'
import type { Pause } from './pause.ts'
import { buryUser, presentRow, withActive, writeUser, type PresentUser, type Provisioning, type UserTables } from './users.ts'

export function createMemoryProvisionedUsers(tables: UserTables, pause: Pause): ProvisionedUserStore {
  const { users } = tables

  return {
    async insert({ providerId, userId, state, createdAt }) {
      await pause()
      if (users.has(userId)) return { outcome: 'taken', key: 'id' }
      const key = takenKey(tables, providerId, { state, userId })
      if (key !== undefined) return { outcome: 'taken', key }

      const { active, claims } = state
      const record = { userId, active, generation: 0, claims, createdAt, updatedAt: createdAt, version: 1 }
      const row = writeUser(users, { record, provisioning: provisioningOf(providerId, state, { adopted: false }) })
      return { outcome: 'inserted', record: provisionedRecord(tables, row) }
    },

    async find(providerId, userId) {
      await pause()
      const row = ownRow(tables, providerId, userId)
      return row === undefined ? undefined : provisionedRecord(tables, row)
    },

    async findByExternalId(providerId, externalId) {
      await pause()
      const row = rowsOf(tables, providerId).find(({ provisioning }) => provisioning.externalId === externalId)
      return row === undefined ? undefined : provisionedRecord(tables, row)
    },

    async compareAndSwap(change) {
      await pause()
      const row = ownRow(tables, change.providerId, change.userId)
      return swap(tables, row, { ...change, adopted: row?.provisioning.adopted ?? false })
    },

    async adopt(change) {
      await pause()
      const row = presentRow(users, change.userId)
      return swap(tables, row?.provisioning === undefined ? row : undefined, { ...change, adopted: true })
    },

    async release(request) {
      await pause()
      const row = removable(tables, request)
      if (typeof row === 'string') return { outcome: row }

      const inactive = withActive(row.record, false, request.now)
      // It advances also when it was inactive before: nothing of the time with the provider is honoured after.
      writeUser(users, { record: { ...inactive, generation: row.record.generation + 1 }, provisioning: undefined })
      return { outcome: 'removed' }
    },

    async remove(request) {
      await pause()
      const row = removable(tables, request)
      if (typeof row === 'string') return { outcome: row }

      buryUser(tables, request.userId, request.now)
      return { outcome: 'removed' }
    },

    async list(query) {
      await pause()
      return listPage(rowsOf(tables, query.providerId).map((row) => listedRow(tables, row)), query)
    },
  }
}

type ProvisionedRow = PresentUser & { readonly provisioning: Provisioning }

function swap(
  tables: UserTables,
  row: PresentUser | undefined,
  { providerId, version, state, now, adopted }: ProvisionedUserChange & { readonly adopted: boolean },
): ProvisionOutcome {
  if (row === undefined) return { outcome: 'absent' }
  if (row.record.version !== version) return { outcome: 'conflict' }
  const key = takenKey(tables, providerId, { state, userId: row.record.userId })
  if (key !== undefined) return { outcome: 'taken', key }

  const record = { ...withActive(row.record, state.active, now), claims: state.claims }
  const written = writeUser(tables.users, { record, provisioning: provisioningOf(providerId, state, { adopted }) })
  return { outcome: 'swapped', record: provisionedRecord(tables, written) }
}

function removable(tables: UserTables, { providerId, userId, version }: RemovalRequest): ProvisionedRow | 'absent' | 'conflict' {
  const row = ownRow(tables, providerId, userId)
  if (row === undefined) return 'absent'
  return version === undefined || row.record.version === version ? row : 'conflict'
}

function ownRow({ users }: UserTables, providerId: ProviderId, userId: UserId): ProvisionedRow | undefined {
  const row = presentRow(users, userId)
  return row !== undefined && isOf(row, providerId) ? row : undefined
}

const rowsOf = ({ users }: UserTables, providerId: ProviderId): readonly ProvisionedRow[] =>
  [...users.values()].flatMap((stored) => (stored.kind === 'present' && isOf(stored, providerId) ? [stored] : []))

const isOf = (row: PresentUser, providerId: ProviderId): row is ProvisionedRow => row.provisioning?.providerId === providerId

function takenKey(
  tables: UserTables,
  providerId: ProviderId,
  { state, userId }: { readonly state: ProvisionedState; readonly userId: UserId },
): Exclude<TakenKey, 'id'> | undefined {
  const others = rowsOf(tables, providerId).filter(({ record }) => record.userId !== userId)
  const { externalId } = state
  if (externalId !== undefined && others.some(({ provisioning }) => provisioning.externalId === externalId)) return 'externalId'
  const userName = state.comparable['userName']
  return others.some(({ provisioning }) => provisioning.comparable['userName'] === userName) ? 'userName' : undefined
}

const provisioningOf = (
  providerId: ProviderId,
  { externalId, resource, comparable }: ProvisionedState,
  { adopted }: { readonly adopted: boolean },
): Provisioning => ({ providerId, externalId, adopted, resource, comparable })

function provisionedRecord(tables: UserTables, { record, provisioning }: PresentUser): ProvisionedUserRecord {
  if (provisioning === undefined) throw new Error('The account has no provider')
  const { providerId, externalId, adopted, resource } = provisioning
  return { ...record, providerId, externalId, adopted, resource, groups: referencesTo(tables, record.userId) }
}

const referencesTo = ({ groups }: UserTables, userId: UserId): readonly GroupReference[] =>
  [...groupsOf(groups, userId)]
    .flatMap((groupId) => {
      const group = groups.byId.get(groupId)
      return group === undefined ? [] : [{ groupId, displayName: group.record.displayName }]
    })
    .toSorted((one, other) => compareText(one.groupId, other.groupId))

function listedRow(tables: UserTables, row: ProvisionedRow): ListedRow<ProvisionedUserRecord> {
  const { record, provisioning } = row
  const known: Record<string, JsonValue> = {
    ...provisioning.comparable,
    id: record.userId,
    active: record.active,
    meta: { created: record.createdAt * 1000, lastModified: record.updatedAt * 1000 },
    groups: [...groupsOf(tables.groups, record.userId)].map((value) => ({ value })),
  }
  if (provisioning.externalId !== undefined) known['externalId'] = provisioning.externalId
  const comparable: JsonObject = known
  return { id: record.userId, createdAt: record.createdAt, record: provisionedRecord(tables, row), comparable }
}
