import {
  aBoolean,
  aFunction,
  aListOfStrings,
  aNonEmptyString,
  checkOptions,
  type Clock,
  defineCookie,
  digestSecret,
  type Header,
  type Random,
  randomIdentifier,
  randomSecret,
  required,
  type RequestHead,
  type ServerRequest,
  systemClock,
  systemRandom,
  wholeNumber,
  aStorage,
} from '@mintmark/internal'
import {
  after,
  seconds,
  sessionId,
  userId,
  type EpochSeconds,
  type SessionRecord,
  type UserId,
  type OAuthStorage,
} from '@mintmark/storage-interface'
import type { SecretDigest, SessionEnd, SessionEndReason, SessionId } from '@mintmark/storage-interface/stores'

import { defineBrowserCookie } from './browser.ts'
import { parseIssuer } from '@mintmark/internal'
import { isSessionActive } from '../permissions/status.ts'
import { type HostUsers, hostUsers, readHostUsers } from './host-users.ts'
import { endOtherSessions, listSessions, type SessionSummary } from './list-sessions.ts'
import type { SignedIn } from './signed-in-user.ts'
import { summarizeUserAgent } from './user-agent.ts'

/** Options of `createCookieSessions`. */
export interface CookieSessionsOptions {
  /** The storage of the server. */
  readonly storage: OAuthStorage
  /**
   * The option `users` of the server. A user of the host's table then gets a row at the first sign-in.
   * @defaultValue None. Users must have a row in storage.
   */
  readonly users?: HostUsers
  /**
   * Seconds without use after which a session expires, at most 34560000 (400 days).
   * @defaultValue 43200, 12 hours. A user who returns the next morning signs in again.
   */
  readonly idleLifetime?: number
  /**
   * Seconds after which a session expires in any case, at most 34560000 (400 days).
   * @defaultValue 604800, 7 days. It limits the use of a stolen cookie.
   */
  readonly absoluteLifetime?: number
  /**
   * Returns where a user signs in, for the list of sessions, such as `Zürich`. It receives the request of the sign-in.
   * Return a place, not an IP address, which is personal data.
   * @defaultValue Nothing is stored. Only the host can determine a location.
   */
  readonly location?: (request: ServerRequest) => string | undefined | Promise<string | undefined>
  readonly clock?: Clock
  readonly random?: Random
}

/** Who signed in, and how, as the host has just verified. */
interface SessionStart {
  readonly subject: string
  /** Values of RFC 8176, such as `['pwd']`. */
  readonly amr?: readonly string[]
  readonly acr?: string
  /**
   * `false`: the browser forgets the session when it is closed, for a user who did not check "Keep me signed in".
   * @defaultValue true. The browser keeps the session for its absolute lifetime.
   */
  readonly remember?: boolean
}

interface StartedSession {
  /** Why the user has no session, if not `started`. */
  readonly outcome: 'started' | 'user_unknown' | 'user_inactive'
  readonly signedIn: SignedIn
  readonly headers: readonly Header[]
}

/** Browser sessions for hosts without their own. */
export interface CookieSessions {
  /** Returns the signed-in user of the browser that sent the request. Pass it to `createAuthorizationServer`. */
  readonly signedIn: (request: RequestHead) => Promise<SignedIn | undefined>
  /**
   * Signs a user in with a new cookie, which prevents session fixation. If the same user already has a session in this
   * browser, that session continues, so that the user stays signed in to its clients. The session of another user ends.
   * @returns what completes the interaction, and the headers that set the cookie. A user who does not exist or is not
   *   active gets neither a session nor a cookie. `complete` then denies the request: it returns `access_denied` to the
   *   client if the user does not exist, and throws for an error page if the user is deactivated. `redirectAfterSignIn`, for
   *   a sign-in to your own product, throws in both cases.
   * @throws TypeError when a member of `start` is unknown or has another type.
   */
  start(request: ServerRequest, start: SessionStart): Promise<StartedSession>
  /**
   * Signs the user out. Pass it to `createAuthorizationServer` as `logout.endSession`.
   * @returns the headers that remove the session cookie, and the cookie that unfinished interactions are bound to.
   */
  readonly end: (request: ServerRequest) => Promise<readonly Header[]>
  /** Lists the user's active sessions, newest first, for an account page. */
  list(subject: string): Promise<readonly SessionSummary[]>
  /**
   * Revokes one session of the user, in any browser.
   * @returns `absent` when the user has no session with this identifier.
   */
  revoke(subject: string, session: string): Promise<'revoked' | 'absent'>
  /** Revokes the user's sessions except the session with this `sessionId`. @returns how many were revoked. */
  revokeOthers(subject: string, kept: string): Promise<number>
}

/**
 * Creates sessions whose cookie only this host can set and no script can read; storage has only its digest.
 * @throws TypeError when the storage is bound to an invalid issuer; the message says what to change.
 */
export function createCookieSessions(options: CookieSessionsOptions): CookieSessions {
  checkOptions('createCookieSessions', options, {
    storage: required(aStorage),
    users: hostUsers,
    idleLifetime: wholeNumber(1, maxCookieLifetime),
    absoluteLifetime: wholeNumber(1, maxCookieLifetime),
    location: aFunction,
    clock: aFunction,
    random: aFunction,
  })
  const { storage } = options
  const cookie = defineCookie(parseIssuer(storage.issuer).href, 'mintmark-session')
  const clock = options.clock ?? systemClock
  const random = options.random ?? systemRandom
  const users = options.users === undefined ? storage.users : readHostUsers(options.users, storage, { clock }).users
  const idleLifetime = seconds(options.idleLifetime ?? 43_200)
  const absoluteLifetime = seconds(options.absoluteLifetime ?? 604_800)

  const find = async (request: RequestHead, now: EpochSeconds): Promise<CookieSession | undefined> => {
    const secret = cookie.read(request)
    if (secret === undefined) return undefined
    const status = await storage.status.ofSession(await digestSecret(secret))
    return isSessionActive(status, now) && isCookieSession(status?.session) ? status.session : undefined
  }

  return {
    async signedIn(request) {
      const now = clock()
      const session = await find(request, now)
      if (session === undefined) return undefined
      // At most one write a minute: the idle time does not need to be more precise.
      const idleExpiresAt = after(now, idleLifetime)
      if (idleExpiresAt - session.idleExpiresAt >= 60)
        await storage.sessions.touch(session.digest, { idleExpiresAt, lastSeenAt: now })
      return signedInOf(session)
    },
    async start(request, start) {
      checkOptions('start', start, {
        subject: required(aNonEmptyString),
        amr: aListOfStrings,
        acr: aNonEmptyString,
        remember: aBoolean,
      })
      const { subject, amr = [], acr, remember = true } = start
      const now = clock()
      const user = await users.find(userId(subject))
      if (user?.active !== true) {
        const outcome = user === undefined ? 'user_unknown' : 'user_inactive'
        return { outcome, signedIn: { subject, authTime: now, amr, acr }, headers: [] }
      }
      const previous = await find(request, now)
      const isSameUser = previous?.userId === user.userId && previous.userGeneration === user.generation
      if (previous !== undefined && !isSameUser)
        await storage.sessions.revoke(sessionEnd(previous.sessionId, 'replaced', now))

      const secret = randomSecret(random)
      const session: CookieSession = {
        sessionId: isSameUser ? previous.sessionId : sessionId(randomIdentifier(random)),
        userId: user.userId,
        userGeneration: user.generation,
        digest: await digestSecret(secret),
        authTime: now,
        acr,
        amr,
        userAgent: summarizeUserAgent(request.headers.get('user-agent')),
        location: (await options.location?.(request))?.slice(0, 200),
        createdAt: now,
        lastSeenAt: now,
        idleExpiresAt: after(now, idleLifetime),
        expiresAt: after(now, absoluteLifetime),
        keptUntil: now,
        revokedAt: undefined,
        endReason: undefined,
      }
      // A client that asks for a new sign-in must not sign the user out of other clients.
      const isRenewed = isSameUser && (await storage.sessions.renew(session)).outcome === 'renewed'
      const started = isRenewed ? session : { ...session, sessionId: sessionId(randomIdentifier(random)) }
      if (!isRenewed) await storage.sessions.insert(started)
      const headers = [cookie.set(secret, remember ? absoluteLifetime : undefined)]
      return { outcome: 'started', signedIn: signedInOf(started), headers }
    },
    async end(request) {
      const now = clock()
      const session = await find(request, now)
      if (session !== undefined) await storage.sessions.revoke(sessionEnd(session.sessionId, 'user', now))
      // RFC 9700 §4.7: the next user of this browser must not finish an interaction that this user began.
      return [cookie.clear(), defineBrowserCookie(storage.issuer).clear()]
    },
    list: (subject) => listSessions(subject, clock(), storage),
    async revokeOthers(subject, kept) {
      const ended = await endOtherSessions(subject, { kept, reason: 'user', now: clock() }, storage)
      return ended.length
    },
    async revoke(subject, session) {
      const now = clock()
      const own = await storage.sessions.listByUser(userId(subject), now)
      // Another user's session is treated as absent.
      if (own.every(({ sessionId: id }) => id !== session)) return 'absent'
      const revoked = await storage.sessions.revoke(sessionEnd(sessionId(session), 'user', now))
      return revoked.outcome === 'absent' ? 'absent' : 'revoked'
    },
  }
}

/** In seconds: 400 days. Browsers keep no cookie for longer (RFC 6265bis §5.5). */
const maxCookieLifetime = 34_560_000

/** A session with a cookie, which has every member that such a session needs. */
type CookieSession = SessionRecord & {
  readonly userId: UserId
  readonly digest: SecretDigest
  readonly idleExpiresAt: EpochSeconds
}

const isCookieSession = (session: SessionRecord | undefined): session is CookieSession =>
  session?.userId !== undefined && session.digest !== undefined && session.idleExpiresAt !== undefined

const sessionEnd = (id: SessionId, reason: SessionEndReason, now: EpochSeconds): SessionEnd => ({
  sessionId: id,
  reason,
  now,
  tombstoneUntil: undefined,
})

const signedInOf = (session: CookieSession): SignedIn => ({
  subject: session.userId,
  authTime: session.authTime,
  amr: session.amr,
  acr: session.acr,
  sessionId: session.sessionId,
  expiresAt: session.expiresAt,
})
