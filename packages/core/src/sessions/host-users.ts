import { aFunction, aNumber, type Clock, isJsonObject, optionsOf, required } from '@mintmark/internal'
import type { JsonObject, OAuthStorage, UserId, UserRecord } from '@mintmark/storage-interface'
import type { SessionId, StatusStore } from '@mintmark/storage-interface/stores'

import { refuse } from '../refusals.ts'

/** The option `users`: users are read from the host's own table whenever something depends on them. */
export interface HostUsers {
  /**
   * Returns the user with this identifier, the `sub`, as the host's table has it now; `undefined` when there is none.
   * The server does not call it for users whom an identity provider provisions.
   * @param call `signal` is aborted when the server no longer waits for the answer.
   */
  readonly find: (subject: string, call: { readonly signal: AbortSignal }) => Promise<HostUserAnswer | undefined>
  /**
   * How many seconds the server waits for an answer, at most 30. Without an answer, it refuses requests with
   * `temporarily_unavailable`.
   * @defaultValue 2. A read by primary key takes milliseconds, and clients try again.
   */
  readonly timeout?: number
}

export const hostUsers = optionsOf<HostUsers>({ find: required(aFunction), timeout: aNumber(0.001, 30) })

/** A user as the host's table has it. */
interface HostUserAnswer {
  /** Whether the user may sign in. */
  readonly active: boolean
  /** The claims, by OIDC claim name (OIDC Core §5.1). They replace all stored claims. */
  readonly claims: JsonObject
}

interface ReadHostUsersDependencies {
  readonly clock: Clock
  /** Called for each session that was revoked because the host's table says that its user is inactive. */
  readonly onSessionEnded?: (session: SessionId) => void
}

const defaultHostUsersTimeout = 2

/**
 * Returns stores that read users from the host's table. The stored row remains the kill switch: a user is active only
 * if both the row and the host say so. When a user of the host is read for the first time, a row without claims is
 * created. When the host says that a user is inactive, the user's grants and sessions are revoked, so that a later
 * `active: true` does not bring them back. The methods throw OAuthError temporarily_unavailable — reason
 * `users_unavailable` — when the host does not answer.
 */
export function readHostUsers(
  users: HostUsers,
  storage: OAuthStorage,
  deps: ReadHostUsersDependencies,
): Pick<OAuthStorage, 'users' | 'status'> {
  const withHostAnswer = async (row: UserRecord): Promise<UserRecord> => {
    // The host cannot activate a user whose row is inactive; a directory decides about its own users.
    if (!row.active || row.providerId !== undefined) return row
    const answer = await askHost(row.userId, users)
    if (answer?.active === true) return { ...row, claims: answer.claims }
    // Nothing is revoked for a user whom the host does not find: a lagging replica must not sign everyone out.
    if (answer !== undefined) await revokeGrantsAndSessions(row.userId, storage, deps)
    return { ...row, active: false, claims: answer?.claims ?? {} }
  }
  const withCurrentUser = async <Status extends { readonly user: UserRecord | undefined }>(
    reading: Promise<Status | undefined>,
  ): Promise<Status | undefined> => {
    const status = await reading
    return status?.user === undefined ? status : { ...status, user: await withHostAnswer(status.user) }
  }
  const { users: stored, status } = storage

  const statuses: StatusStore = {
    ofGrant: (grantId, boundTo) => withCurrentUser(status.ofGrant(grantId, boundTo)),
    ofFamily: (familyId) => withCurrentUser(status.ofFamily(familyId)),
    ofAccessToken: (token) => withCurrentUser(status.ofAccessToken(token)),
    // They are read after a family of the same user, for which the host was asked.
    ofFamilies: (familyIds) => status.ofFamilies(familyIds),
    ofRefreshHandle: (handleDigest) => withCurrentUser(status.ofRefreshHandle(handleDigest)),
    ofSession: (digest) => withCurrentUser(status.ofSession(digest)),
  }
  return {
    status: statuses,
    users: {
      insert: (user) => stored.insert(user),
      async find(userId) {
        const row = await stored.find(userId)
        if (row !== undefined) return withHostAnswer(row)
        const answer = await askHost(userId, users)
        if (answer?.active !== true) return undefined
        // This inserts nothing if a removed user or a client has the identifier: the host cannot reuse it.
        await stored.insert({ userId, claims: {}, createdAt: deps.clock() })
        const created = await stored.find(userId)
        return created?.active === true && created.providerId === undefined
          ? { ...created, claims: answer.claims }
          : created
      },
      replaceClaims: (change) => stored.replaceClaims(change),
      deactivate: (userId, now) => stored.deactivate(userId, now),
      reactivate: (userId, now) => stored.reactivate(userId, now),
      revokeAccess: (userId, now) => stored.revokeAccess(userId, now),
      remove: (userId, now) => stored.remove(userId, now),
    },
  }
}

/** Asks the host for a user. Throws if the answer is late or malformed, because nothing can be decided without it. */
async function askHost(
  userId: UserId,
  { find, timeout = defaultHostUsersTimeout }: HostUsers,
): Promise<HostUserAnswer | undefined> {
  const abort = new AbortController()
  const timedOut = new Promise<never>((_, reject) => abort.signal.addEventListener('abort', () => reject(timeoutError)))
  const timer = setTimeout(() => abort.abort(timeoutError), timeout * 1000)
  try {
    const answer = await Promise.race([find(userId, { signal: abort.signal }), timedOut])
    if (answer !== undefined && !isHostUserAnswer(answer))
      throw new TypeError('users.find must return { active, claims } or undefined.')
    return answer
  } catch (cause) {
    throw refuse('users_unavailable', { userId }, { cause })
  } finally {
    clearTimeout(timer)
  }
}

const timeoutError = Object.freeze(new Error('users.find did not answer in time.'))

/** A host that is not type-checked may return something else, such as a row of its table. */
const isHostUserAnswer = ({ active, claims }: Partial<HostUserAnswer>): boolean =>
  typeof active === 'boolean' && isJsonObject(claims)

async function revokeGrantsAndSessions(
  userId: UserId,
  storage: OAuthStorage,
  deps: ReadHostUsersDependencies,
): Promise<void> {
  const now = deps.clock()
  for (const { grantId } of await storage.grants.listByUser(userId)) await storage.grants.revoke(grantId, now)
  for (const session of await storage.sessions.revokeOfUser(userId, 'host', now)) deps.onSessionEnded?.(session)
}
