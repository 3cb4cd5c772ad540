import { providerId as asProviderId, userId as asUserId, type UserId } from '../identifiers.ts'
import type { EpochSeconds } from '../time.ts'
import type { LifecycleOutcome, SearchableUserStore, UserRecord } from '../user.ts'
import { idsByAge } from './age.ts'
import { writeRevocation, type RevocationTable } from './revocation-table.ts'
import { endMemberships, type GroupTable } from './group-table.ts'
import { listPage, type ListedRow, type Listing } from './list-page.ts'
import type { SchedulerHook } from './scheduler-hook.ts'
import { rowsByAge } from './provider-index.ts'
import { tombstoneUser, presentRow, presentUser, writeUser, type PresentUser, type UserTable } from './user-table.ts'

/** Where accounts are, the groups that a removed one leaves, and what is told of its end. */
export interface UserTables {
  readonly users: UserTable
  readonly groups: GroupTable
  readonly revocations: RevocationTable
}

export function createMemoryUsers(tables: UserTables, pause: SchedulerHook): SearchableUserStore {
  const { users } = tables

  return {
    async insert(user) {
      await pause()
      if (users.byId.has(user.userId)) return { outcome: 'taken' }

      const record = { ...user, active: true, generation: 0, updatedAt: user.createdAt, version: 1 }
      writeUser(users, { record, provisioning: undefined })
      return { outcome: 'inserted' }
    },

    async find(userId) {
      await pause()
      return presentUser(users, userId)
    },

    async list(query) {
      await pause()
      return listPage(allAccounts(users), query)
    },

    async replaceClaims({ userId, claims, version, now }) {
      await pause()
      const current = presentRow(users, userId)
      if (current === undefined) return { outcome: 'absent' }
      if (current.record.version !== version) return { outcome: 'conflict' }

      const record = { ...current.record, claims, updatedAt: now, version: version + 1 }
      return { outcome: 'swapped', record: writeUser(users, { ...current, record }).record }
    },

    async deactivate(userId, now) {
      await pause()
      return changeActive(tables, { userId, active: false, now })
    },

    async reactivate(userId, now) {
      await pause()
      return changeActive(tables, { userId, active: true, now })
    },

    async remove(userId, now) {
      await pause()
      if (presentRow(users, userId) === undefined) return { outcome: 'absent' }

      removeUser(tables, userId, now)
      return { outcome: 'removed' }
    },
  }
}

/** All accounts, whoever provisioned them. */
const allAccounts = (users: UserTable): Listing<UserId, UserRecord> => ({
  byAge: users.byAge,
  lookups: new Map([
    ['id', { rows: 1, find: (id) => [asUserId(id)] }],
    ['provider', { rows: 1000, find: (id) => idsByAge(rowsByAge(users.byProvider, asProviderId(id))) }],
  ]),
  row: (userId) => {
    const row = presentRow(users, userId)
    return row && listedRow(row)
  },
})

const listedRow = ({ record, provisioning }: PresentUser): ListedRow<UserId, UserRecord> => ({
  id: record.userId,
  createdAt: record.createdAt,
  record: () => record,
  comparable: () => ({
    id: record.userId,
    active: record.active,
    created: record.createdAt * 1000,
    updated: record.updatedAt * 1000,
    claims: record.claims,
    ...(provisioning === undefined ? {} : { provider: provisioning.providerId }),
  }),
})

/** Forgets an account and its memberships. */
export function removeUser({ users, groups, revocations }: UserTables, userId: UserId, now: EpochSeconds): void {
  tombstoneUser(users, userId)
  endMemberships(groups, userId, now)
  writeRevocation(revocations, { kind: 'account', userId }, now)
}

function changeActive(
  tables: UserTables,
  change: { readonly userId: UserId; readonly active: boolean; readonly now: EpochSeconds },
): LifecycleOutcome {
  const { users } = tables
  const current = presentRow(users, change.userId)
  if (current === undefined) return { outcome: 'absent' }
  if (current.record.active === change.active) return { outcome: 'unchanged', record: current.record }

  const record = withActive(current.record, change.active, change.now)
  endGeneration(tables, current.record, record)
  return { outcome: 'changed', record: writeUser(users, { ...current, record }).record }
}

/** The next version of an account. The generation advances when it was active and is not any more, and never otherwise. */
export const withActive = (record: UserRecord, active: boolean, now: EpochSeconds): UserRecord => ({
  ...record,
  active,
  generation: record.active && !active ? record.generation + 1 : record.generation,
  updatedAt: now,
  version: record.version + 1,
})

/** Writes that a generation has ended, where the change of an account advances it. */
export function endGeneration(
  { revocations }: UserTables,
  { userId, generation }: UserRecord,
  after: UserRecord,
): void {
  if (after.generation > generation)
    writeRevocation(revocations, { kind: 'generation', userId, generation }, after.updatedAt)
}
