import type { AdminStorage } from './storage.ts'

/**
 * Adds `onSessionsRevoked` to a storage: its listeners are called after each call that may have revoked a session or all
 * sessions of a user. Revocations by other processes, or through another storage object, are not announced.
 */
export function withRevocationAnnouncements(storage: AdminStorage): AdminStorage {
  const { sessions, users, provisionedUsers } = storage
  const listeners: (() => void)[] = []
  const announceAfter = async <Result>(call: Promise<Result>, mayRevoke = (): boolean => true): Promise<Result> => {
    const result = await call
    if (mayRevoke()) for (const listener of listeners) listener()
    return result
  }

  return {
    ...storage,
    sessions: {
      ...sessions,
      revoke: (end) => announceAfter(sessions.revoke(end)),
      revokeOfUser: (...args) => announceAfter(sessions.revokeOfUser(...args)),
    },
    users: {
      ...users,
      deactivate: (...args) => announceAfter(users.deactivate(...args)),
      revokeAccess: (...args) => announceAfter(users.revokeAccess(...args)),
      remove: (...args) => announceAfter(users.remove(...args)),
    },
    provisionedUsers: {
      ...provisionedUsers,
      // Directories change many users and deactivate few, so other changes are not announced.
      compareAndSwap: (change) => announceAfter(provisionedUsers.compareAndSwap(change), () => !change.state.active),
      adopt: (change) => announceAfter(provisionedUsers.adopt(change)),
      release: (change) => announceAfter(provisionedUsers.release(change)),
      remove: (change) => announceAfter(provisionedUsers.remove(change)),
    },
    onSessionsRevoked: (listener) => void listeners.push(listener),
  }
}
