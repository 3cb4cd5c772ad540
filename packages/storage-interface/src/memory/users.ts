import type { ProviderId, UserId } from '../identifiers.ts'
import type { JsonObject } from '../json.ts'
import type { EpochSeconds } from '../time.ts'
import type { LifecycleOutcome, UserRecord, UserStore } from '../user.ts'
import { frozenCopy } from './frozen-copy.ts'
import { endMemberships, type GroupTable } from './group-table.ts'
import type { Pause } from './pause.ts'

/** An account that is there, with what its identity provider said. One object, as it is one row elsewhere. */
export interface PresentUser {
  readonly kind: 'present'
  readonly record: UserRecord
  readonly provisioning: Provisioning | undefined
}

/** What an identity provider said of an account. */
export interface Provisioning {
  readonly providerId: ProviderId
  readonly externalId: string | undefined
  readonly adopted: boolean
  readonly resource: JsonObject
  readonly comparable: JsonObject
}

/** `removed` is a tombstone: it keeps the identifier taken and holds nothing of the person. */
type StoredUser = PresentUser | { readonly kind: 'removed' }

export type UserTable = Map<UserId, StoredUser>

export const createUserTable = (): UserTable => new Map()

/** The account that is there, whole: a removed one is not. */
export function presentRow(users: UserTable, userId: UserId): PresentUser | undefined {
  const stored = users.get(userId)
  return stored?.kind === 'present' ? stored : undefined
}

/** The account that is there. */
export const presentUser = (users: UserTable, userId: UserId): UserRecord | undefined => presentRow(users, userId)?.record

/** Where accounts are, and the groups that a removed one leaves. */
export interface UserTables {
  readonly users: UserTable
  readonly groups: GroupTable
}

export function createMemoryUsers({ users, groups }: UserTables, pause: Pause): UserStore {
  return {
    async insert(user) {
      await pause()
      if (users.has(user.userId)) return { outcome: 'taken' }

      const record = { ...user, active: true, generation: 0, updatedAt: user.createdAt, version: 1 }
      writeUser(users, { record, provisioning: undefined })
      return { outcome: 'inserted' }
    },

    async find(userId) {
      await pause()
      return presentUser(users, userId)
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
      return changeActive(users, { userId, active: false, now })
    },

    async reactivate(userId, now) {
      await pause()
      return changeActive(users, { userId, active: true, now })
    },

    async remove(userId, now) {
      await pause()
      if (presentRow(users, userId) === undefined) return { outcome: 'absent' }

      buryUser({ users, groups }, userId, now)
      return { outcome: 'removed' }
    },
  }
}

function changeActive(
  users: UserTable,
  change: { readonly userId: UserId; readonly active: boolean; readonly now: EpochSeconds },
): LifecycleOutcome {
  const current = presentRow(users, change.userId)
  if (current === undefined) return { outcome: 'absent' }
  if (current.record.active === change.active) return { outcome: 'unchanged', record: current.record }

  const record = withActive(current.record, change.active, change.now)
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

/** Stores an account. @returns it as it is stored. */
export function writeUser(users: UserTable, row: Omit<PresentUser, 'kind'>): PresentUser {
  const stored = frozenCopy<PresentUser>({ kind: 'present', record: row.record, provisioning: row.provisioning })
  users.set(stored.record.userId, stored)
  return stored
}

/** The generation needs no place in the tombstone: nothing finds it, and the identifier is never used again. */
export function buryUser({ users, groups }: UserTables, userId: UserId, now: EpochSeconds): void {
  users.set(userId, { kind: 'removed' })
  endMemberships(groups, userId, now)
}
