import type {
  NewProvisionedUser,
  ProvisionedState,
  ProvisionedUserChange,
  ProvisionedUserRecord,
  ProvisionedUserStore,
  ProvisionOutcome,
  RemovalRequest,
  TakenKey,
} from '../provisioned-user.ts'
import { endMemberships } from './group-table.ts'
import { listPage } from './list-page.ts'
import type { SchedulerHook } from './scheduler-hook.ts'
import { holderOf } from './provider-index.ts'
import { accountsOfProvider, ownRow, provisionedRecord, type ProvisionedRow } from './provisioned-rows.ts'
import { presentRow, userNameOf, writeUser, type PresentUser, type Provisioning, type UserTable } from './user-table.ts'
import { endGeneration, removeUser, withActive, type UserTables } from './users.ts'

export function createMemoryProvisionedUsers(tables: UserTables, pause: SchedulerHook): ProvisionedUserStore {
  const { users, groups } = tables

  return {
    async insert(user) {
      await pause()
      const { providerId, userId, state, createdAt } = user
      if (users.byId.has(userId)) return { outcome: 'taken', key: 'id' }
      const key = takenKey(users, user)
      if (key !== undefined) return { outcome: 'taken', key }

      const { active, claims } = state
      const record = { userId, active, generation: 0, claims, createdAt, updatedAt: createdAt, version: 1 }
      const provisioning: Provisioning = { providerId, ...said(state), adopted: false }
      return { outcome: 'inserted', record: write(tables, { record, provisioning }) }
    },

    async find(providerId, userId) {
      await pause()
      const row = ownRow(users, providerId, userId)
      return row && provisionedRecord(groups, row)
    },

    async findByExternalId(providerId, externalId) {
      await pause()
      const userId = holderOf(users.byProvider, providerId, ['externalId', externalId])
      const row = userId && ownRow(users, providerId, userId)
      return row && provisionedRecord(groups, row)
    },

    async compareAndSwap(change) {
      await pause()
      const row = ownRow(users, change.providerId, change.userId)
      return swap(tables, row, { ...change, adopted: row?.provisioning.adopted ?? false })
    },

    async adopt(change) {
      await pause()
      const row = presentRow(users, change.userId)
      return swap(tables, row?.provisioning === undefined ? row : undefined, { ...change, adopted: true })
    },

    async release(request) {
      await pause()
      const row = removable(users, request)
      if (typeof row === 'string') return { outcome: row }

      const inactive = withActive(row.record, false, request.now)
      // It advances also when it was inactive before: nothing of the time with the provider is honoured after.
      const record = { ...inactive, generation: row.record.generation + 1 }
      writeUser(users, { record, provisioning: undefined })
      endGeneration(tables, row.record, record)
      endMemberships(groups, request.userId, request.now)
      return { outcome: 'removed' }
    },

    async remove(request) {
      await pause()
      const row = removable(users, request)
      if (typeof row === 'string') return { outcome: row }

      removeUser(tables, request.userId, request.now)
      return { outcome: 'removed' }
    },

    async list(query) {
      await pause()
      return listPage(accountsOfProvider(tables, query.providerId), query)
    },
  }
}

function swap(
  tables: UserTables,
  row: PresentUser | undefined,
  { providerId, userId, version, state, now, adopted }: ProvisionedUserChange & { readonly adopted: boolean },
): ProvisionOutcome {
  if (row === undefined) return { outcome: 'absent' }
  if (row.record.version !== version) return { outcome: 'conflict' }
  const key = takenKey(tables.users, { providerId, userId, state })
  if (key !== undefined) return { outcome: 'taken', key }

  const record = { ...withActive(row.record, state.active, now), claims: state.claims }
  endGeneration(tables, row.record, record)
  return {
    outcome: 'swapped',
    record: write(tables, { record, provisioning: { providerId, ...said(state), adopted } }),
  }
}

const said = ({ externalId, resource, resourceForm, comparable }: ProvisionedState) => ({
  externalId,
  resource,
  resourceForm,
  comparable,
})

const write = ({ users, groups }: UserTables, row: Omit<ProvisionedRow, 'kind'>): ProvisionedUserRecord =>
  provisionedRecord(groups, writeUser(users, row))

function removable(
  users: UserTable,
  { providerId, userId, version }: RemovalRequest,
): ProvisionedRow | 'absent' | 'conflict' {
  const row = ownRow(users, providerId, userId)
  if (row === undefined) return 'absent'
  return version === undefined || row.record.version === version ? row : 'conflict'
}

type Claimant = Pick<NewProvisionedUser, 'providerId' | 'userId' | 'state'>

/** Which of the keys another account of the provider holds. */
function takenKey(users: UserTable, { providerId, userId, state }: Claimant): Exclude<TakenKey, 'id'> | undefined {
  const keys = { externalId: state.externalId, userName: userNameOf(state.comparable) }
  const isTaken = (name: keyof typeof keys): boolean => {
    const value = keys[name]
    const holder = value === undefined ? undefined : holderOf(users.byProvider, providerId, [name, value])
    return holder !== undefined && holder !== userId
  }
  return isTaken('externalId') ? 'externalId' : isTaken('userName') ? 'userName' : undefined
}
