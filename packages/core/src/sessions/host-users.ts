import { type Clock, isJsonObject } from '@mintmark/internal'
import type { JsonObject, OAuthStorage, UserId, UserRecord } from '@mintmark/storage-interface'
import type { SessionId, StatusStore } from '@mintmark/storage-interface/stores'

import { refuse } from '../refusals.ts'

/** The option `users`: users are read from the host's own table whenever something depends on them. */
export interface HostUsers {
  /**
   * Returns the user with this identifier, the `sub`, as the host's table has it now; `undefined` when there is none. It is
   * not called for users whom an identity provider provisions.
   * @param call `signal` is aborted when the answer is no longer waited for.
   */
  readonly find: (subject: string, call: { readonly signal: AbortSignal }) => Promise<HostUserAnswer | undefined>
  /**
   * For how many seconds an answer is waited for, at most 30. Without an answer, requests are refused with
   * `temporarily_unavailable`.
   * @defaultValue 2. A read by primary key takes milliseconds, and clients try again.
   */
  readonly timeout?: number
}

/** A user as the host's table has it. */
interface HostUserAnswer {
  /** Whether the user may sign in. */
  readonly active: boolean
  /** The claims, by OIDC claim name (OIDC Core §5.1). They replace all stored ones. */
  readonly claims: JsonObject
}

interface ReadHostUsersDependencies {
  readonly clock: Clock
  /** Called for each session that was revoked because the host's table says that its user is inactive. */
  readonly onSessionEnded?: (session: SessionId) => void
}

const defaultHostUsersTimeout = 2

/**
 * A storage whose users are those of the host's table. The stored row remains the kill switch: a user is active when both
 * say so. A row is created, without claims, when a user of the host is read for the first time. When the host says that a
 * user is inactive, the grants and sessions of the user are revoked, so that a later `active: true` brings nothing back.
 * Its methods throw OAuthError temporarily_unavailable — reason `users_unavailable`, when the host does not answer.
 */
export function readHostUsers(
  users: HostUsers,
  storage: OAuthStorage,
  deps: ReadHostUsersDependencies,
): Pick<OAuthStorage, 'users' | 'status'> {
  const current = async (row: UserRecord): Promise<UserRecord> => {
    // What the row refuses, the host cannot allow; the directory decides about its own users.
    if (!row.active || row.providerId !== undefined) return row
    const answer = await askHost(row.userId, users)
    if (answer?.active === true) return { ...row, claims: answer.claims }
    // A row that is missing revokes nothing: a lagging replica must not sign everyone out.
    if (answer !== undefined) await revokeAllOf(row.userId, storage, deps)
    return { ...row, active: false, claims: answer?.claims ?? {} }
  }
  const withCurrent = async <Status extends { readonly user: UserRecord | undefined }>(
    reading: Promise<Status | undefined>,
  ): Promise<Status | undefined> => {
    const status = await reading
    return status?.user === undefined ? status : { ...status, user: await current(status.user) }
  }
  const { users: stored, status } = storage

  const statuses: StatusStore = {
    ofGrant: (grantId, boundTo) => withCurrent(status.ofGrant(grantId, boundTo)),
    ofFamily: (familyId) => withCurrent(status.ofFamily(familyId)),
    ofRefreshHandle: (handleDigest) => withCurrent(status.ofRefreshHandle(handleDigest)),
    ofSession: (digest) => withCurrent(status.ofSession(digest)),
  }
  return {
    status: statuses,
    users: {
      insert: (user) => stored.insert(user),
      async find(userId) {
        const row = await stored.find(userId)
        if (row !== undefined) return current(row)
        const answer = await askHost(userId, users)
        if (answer?.active !== true) return undefined
        // The identifier of a removed user, or of a client, stays taken: the host cannot bring it back.
        await stored.insert({ userId, claims: {}, createdAt: deps.clock() })
        const created = await stored.find(userId)
        return created?.active === true && created.providerId === undefined
          ? { ...created, claims: answer.claims }
          : created
      },
      replaceClaims: (change) => stored.replaceClaims(change),
      deactivate: (userId, now) => stored.deactivate(userId, now),
      reactivate: (userId, now) => stored.reactivate(userId, now),
      remove: (userId, now) => stored.remove(userId, now),
    },
  }
}

/** An answer that is late or malformed is none: nothing is decided without the host's table. */
async function askHost(
  userId: UserId,
  { find, timeout = defaultHostUsersTimeout }: HostUsers,
): Promise<HostUserAnswer | undefined> {
  const abort = new AbortController()
  const late = new Promise<never>((_, reject) => abort.signal.addEventListener('abort', () => reject(lateAnswer)))
  const timer = setTimeout(() => abort.abort(lateAnswer), timeout * 1000)
  try {
    const answer = await Promise.race([find(userId, { signal: abort.signal }), late])
    if (answer !== undefined && !isAnswer(answer))
      throw new TypeError('users.find must return { active, claims } or undefined.')
    return answer
  } catch (cause) {
    throw refuse('users_unavailable', { userId }, { cause })
  } finally {
    clearTimeout(timer)
  }
}

const lateAnswer = Object.freeze(new Error('users.find did not answer in time.'))

/** Hosts without types return other things, such as rows of their table. */
const isAnswer = ({ active, claims }: Partial<HostUserAnswer>): boolean =>
  typeof active === 'boolean' && isJsonObject(claims)

async function revokeAllOf(userId: UserId, storage: OAuthStorage, deps: ReadHostUsersDependencies): Promise<void> {
  const now = deps.clock()
  for (const { grantId } of await storage.grants.listByUser(userId)) await storage.grants.revoke(grantId, now)
  for (const session of await storage.sessions.revokeOfUser(userId, 'host', now)) deps.onSessionEnded?.(session)
}
