import type { ProvisionedUserStore } from './provisioned-user.ts'
import type { SessionStore } from './session.ts'
import type { OAuthStorage } from './storage.ts'
import type { UserStore } from './user.ts'

/**
 * Adds `onSessionsRevoked` to a storage: its listeners are called after each call that may have revoked a session or all
 * sessions of a user. Revocations by other processes, or through another storage object, are not announced.
 */
export function withRevocationAnnouncements<Storage extends OAuthStorage>(storage: Storage): Storage {
  const { sessions, users, provisionedUsers } = storage
  const announcing = createRevocationAnnouncements()
  return {
    ...storage,
    sessions: announcing.sessions(sessions),
    users: announcing.users(users),
    ...(provisionedUsers && { provisionedUsers: announcing.provisionedUsers(provisionedUsers) }),
    onSessionsRevoked: announcing.onSessionsRevoked,
  }
}

/** Returns `onSessionsRevoked`, and a function for each store that makes it announce what it revokes. */
export function createRevocationAnnouncements() {
  const listeners: (() => void)[] = []
  const announceAfter = async <Result>(call: Promise<Result>, mayRevoke = (): boolean => true): Promise<Result> => {
    const result = await call
    if (mayRevoke()) for (const listener of listeners) listener()
    return result
  }

  return {
    onSessionsRevoked: (listener: () => void) => void listeners.push(listener),
    sessions: <Store extends SessionStore>(sessions: Store): Store => ({
      ...sessions,
      ...({
        revoke: (end) => announceAfter(sessions.revoke(end)),
        revokeOfUser: (...args) => announceAfter(sessions.revokeOfUser(...args)),
      } satisfies Partial<SessionStore>),
    }),
    users: <Store extends UserStore>(users: Store): Store => ({
      ...users,
      ...({
        deactivate: (...args) => announceAfter(users.deactivate(...args)),
        revokeAccess: (...args) => announceAfter(users.revokeAccess(...args)),
        remove: (...args) => announceAfter(users.remove(...args)),
      } satisfies Partial<UserStore>),
    }),
    provisionedUsers: (provisionedUsers: ProvisionedUserStore): ProvisionedUserStore => ({
      ...provisionedUsers,
      // Directories change many users and deactivate few, so other changes are not announced.
      compareAndSwap: (change) => announceAfter(provisionedUsers.compareAndSwap(change), () => !change.state.active),
      adopt: (change) => announceAfter(provisionedUsers.adopt(change)),
      release: (change) => announceAfter(provisionedUsers.release(change)),
      remove: (change) => announceAfter(provisionedUsers.remove(change)),
    }),
  }
}
