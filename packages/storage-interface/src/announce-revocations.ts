import type { AdminStorage } from './storage.ts'

/**
 * Adds `onSessionsRevoked` to a storage: its listeners are called after each call that may have revoked a session or all
 * sessions of a user. Those of other processes, or through another storage object, are not announced.
 */
export function announceRevocations(storage: AdminStorage): AdminStorage {
  const { sessions, users, provisionedUsers } = storage
  const listeners: (() => void)[] = []
  const announced = async <Result>(call: Promise<Result>, mayRevoke = (): boolean => true): Promise<Result> => {
    const result = await call
    if (mayRevoke()) for (const listener of listeners) listener()
    return result
  }

  return {
    ...storage,
    sessions: {
      ...sessions,
      revoke: (end) => announced(sessions.revoke(end)),
      revokeOfUser: (...of) => announced(sessions.revokeOfUser(...of)),
    },
    users: {
      ...users,
      deactivate: (...of) => announced(users.deactivate(...of)),
      remove: (...of) => announced(users.remove(...of)),
    },
    provisionedUsers: {
      ...provisionedUsers,
      // Directories change many users, and deactivate few.
      compareAndSwap: (change) => announced(provisionedUsers.compareAndSwap(change), () => !change.state.active),
      adopt: (change) => announced(provisionedUsers.adopt(change)),
      release: (change) => announced(provisionedUsers.release(change)),
      remove: (change) => announced(provisionedUsers.remove(change)),
    },
    onSessionsRevoked: (listener) => void listeners.push(listener),
  }
}
