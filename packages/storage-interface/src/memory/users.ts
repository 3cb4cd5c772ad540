import type { UserId } from '../identifiers.ts'
import type { EpochSeconds } from '../time.ts'
import type { LifecycleOutcome, UserRecord, UserStore } from '../user.ts'
import { frozenCopy } from './frozen-copy.ts'
import type { Pause } from './pause.ts'

/** `removed` is a tombstone: it keeps the identifier taken and holds nothing of the person. */
type StoredUser = { readonly kind: 'present'; readonly record: UserRecord } | { readonly kind: 'removed' }

export type UserTable = Map<UserId, StoredUser>

export const createUserTable = (): UserTable => new Map()

/** The account that is there: a removed one is not. */
export function presentUser(users: UserTable, userId: UserId): UserRecord | undefined {
  const stored = users.get(userId)
  return stored?.kind === 'present' ? stored.record : undefined
}

export function createMemoryUsers(users: UserTable, pause: Pause): UserStore {
  return {
    async insert(user) {
      await pause()
      if (users.has(user.userId)) return { outcome: 'taken' }

      write(users, { ...user, active: true, generation: 0, updatedAt: user.createdAt, version: 1 })
      return { outcome: 'inserted' }
    },

    async find(userId) {
      await pause()
      return presentUser(users, userId)
    },

    async replaceClaims({ userId, claims, version, now }) {
      await pause()
      const current = presentUser(users, userId)
      if (current === undefined) return { outcome: 'absent' }
      if (current.version !== version) return { outcome: 'conflict' }

      return { outcome: 'swapped', record: write(users, { ...current, claims, updatedAt: now, version: version + 1 }) }
    },

    async deactivate(userId, now) {
      await pause()
      return changeActive(users, { userId, active: false, now })
    },

    async reactivate(userId, now) {
      await pause()
      return changeActive(users, { userId, active: true, now })
    },

    async remove(userId) {
      await pause()
      if (presentUser(users, userId) === undefined) return { outcome: 'absent' }

      // The generation needs no place in the tombstone: nothing finds it, and the identifier is never used again.
      users.set(userId, { kind: 'removed' })
      return { outcome: 'removed' }
    },
  }
}

function changeActive(
  users: UserTable,
  change: { readonly userId: UserId; readonly active: boolean; readonly now: EpochSeconds },
): LifecycleOutcome {
  const current = presentUser(users, change.userId)
  if (current === undefined) return { outcome: 'absent' }
  if (current.active === change.active) return { outcome: 'unchanged', record: current }

  const record = write(users, {
    ...current,
    active: change.active,
    generation: change.active ? current.generation : current.generation + 1,
    updatedAt: change.now,
    version: current.version + 1,
  })
  return { outcome: 'changed', record }
}

function write(users: UserTable, user: UserRecord): UserRecord {
  const record = frozenCopy(user)
  users.set(record.userId, { kind: 'present', record })
  return record
}
