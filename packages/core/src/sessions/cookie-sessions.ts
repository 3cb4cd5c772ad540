import {
  after,
  seconds,
  sessionId,
  userId,
  type EpochSeconds,
  type SessionRecord,
  type Storage,
} from '@mintmark/storage-interface'

import { clearCookie, defineCookie, readCookie, setCookie, type Header, type ServerRequest } from '../http/index.ts'
import { defineBrowserCookie } from '../interaction/browser-binding.ts'
import { systemClock, type Clock } from '../runtime/clock.ts'
import { digestSecret } from '../runtime/digest.ts'
import { randomIdentifier, randomSecret, systemRandom, type Random } from '../runtime/random.ts'
import { parseIssuer } from '../server/issuer.ts'
import { isSessionActive } from '../tokens/status.ts'
import type { SignedIn } from './signed-in-user.ts'

/** What a host gives to `cookieSessions`. */
export interface CookieSessionsOptions {
  /** The storage that the server has. */
  readonly storage: Storage
  /**
   * Seconds without use after which a session ends.
   * @defaultValue 43200, 12 hours. Who comes back the next morning signs in.
   */
  readonly idleLifetime?: number
  /**
   * Seconds after which a session ends in any case.
   * @defaultValue 604800, 7 days. A cookie that was stolen does not last.
   */
  readonly absoluteLifetime?: number
  readonly clock?: Clock
  readonly random?: Random
}

/** Who signed in, and how: what the host has just verified. */
export interface SessionStart {
  readonly subject: string
  /** Names of RFC 8176, such as `['pwd']`. */
  readonly amr?: readonly string[]
  readonly acr?: string
}

/** Browser sessions for hosts that have none of their own. */
export interface CookieSessions {
  /** Who is signed in in the browser that sent the request: give it to `createAuthorizationServer`. */
  readonly signedIn: (request: ServerRequest) => Promise<SignedIn | undefined>
  /**
   * Signs a person in. The browser's session before this one ends, so that a session planted in it is of no use.
   * @returns what to complete the interaction with, and the headers that set the cookie. An account that storage does not
   *   know, or that is not active, gets neither session nor cookie, and `complete` then tells the client `access_denied`.
   */
  start(
    request: ServerRequest,
    start: SessionStart,
  ): Promise<{ readonly signedIn: SignedIn; readonly headers: readonly Header[] }>
  /** Signs out. @returns the headers that remove the cookie, and with it the sign-ins that the browser has not finished. */
  end(request: ServerRequest): Promise<readonly Header[]>
  /** The person's live sessions, newest first, for their account page. */
  list(subject: string): Promise<readonly SessionSummary[]>
  /** Ends one session of the person's, in whatever browser it is. @returns `absent` when they have no such session. */
  revoke(subject: string, session: string): Promise<'ended' | 'absent'>
}

/** A session as its owner may see it. */
export interface SessionSummary {
  /** Names the session; it opens nothing. */
  readonly sessionId: string
  readonly signedInAt: EpochSeconds
  readonly amr: readonly string[]
  readonly expiresAt: EpochSeconds
}

/**
 * Sessions in a cookie that only this host can set and no script can read; storage knows its digest alone.
 * @throws TypeError when the storage is bound to an issuer that no server can have; it says what to change.
 */
export function createCookieSessions(options: CookieSessionsOptions): CookieSessions {
  const { storage } = options
  const cookie = defineCookie(parseIssuer(storage.issuer).href, 'mintmark-session')
  const clock = options.clock ?? systemClock
  const random = options.random ?? systemRandom
  const idleLifetime = seconds(options.idleLifetime ?? 43_200)
  const absoluteLifetime = seconds(options.absoluteLifetime ?? 604_800)

  const find = async (request: ServerRequest, now: EpochSeconds): Promise<SessionRecord | undefined> => {
    const secret = readCookie(request, cookie)
    if (secret === undefined) return undefined
    const standing = await storage.status.ofSession(await digestSecret(secret))
    return standing !== undefined && isSessionActive(standing, now) ? standing.session : undefined
  }

  return {
    async signedIn(request) {
      const now = clock()
      const session = await find(request, now)
      if (session === undefined) return undefined
      // One write a minute is enough to know that a session is in use.
      const idleExpiresAt = after(now, idleLifetime)
      if (idleExpiresAt - session.idleExpiresAt >= 60) await storage.sessions.touch(session.digest, idleExpiresAt)
      return signedInOf(session)
    },
    async start(request, { subject, amr = [], acr }) {
      const now = clock()
      const user = await storage.users.find(userId(subject))
      if (user?.active !== true) return { signedIn: { subject, authTime: now, amr, acr }, headers: [] }
      const previous = await find(request, now)
      if (previous !== undefined) await storage.sessions.revoke(previous.sessionId, now)

      const secret = randomSecret(random)
      const session: SessionRecord = {
        digest: await digestSecret(secret),
        sessionId: sessionId(randomIdentifier(random)),
        userId: user.userId,
        userGeneration: user.generation,
        authTime: now,
        acr,
        amr,
        createdAt: now,
        idleExpiresAt: after(now, idleLifetime),
        expiresAt: after(now, absoluteLifetime),
        revokedAt: undefined,
      }
      await storage.sessions.insert(session)
      return { signedIn: signedInOf(session), headers: [setCookie(cookie, secret, absoluteLifetime)] }
    },
    async end(request) {
      const now = clock()
      const session = await find(request, now)
      if (session !== undefined) await storage.sessions.revoke(session.sessionId, now)
      // Whoever uses the browser next must not finish what the person who left had begun (RFC 9700 §4.7).
      return [clearCookie(cookie), clearCookie(defineBrowserCookie(storage.issuer))]
    },
    async list(subject) {
      const sessions = await storage.sessions.listByUser(userId(subject), clock())
      return sessions.map(({ sessionId: id, authTime, amr, expiresAt }) => ({
        sessionId: id,
        signedInAt: authTime,
        amr,
        expiresAt,
      }))
    },
    async revoke(subject, session) {
      const now = clock()
      const own = await storage.sessions.listByUser(userId(subject), now)
      // A person ends their own sessions; another's is not there.
      if (own.every(({ sessionId: id }) => id !== session)) return 'absent'
      const revoked = await storage.sessions.revoke(sessionId(session), now)
      return revoked.outcome === 'absent' ? 'absent' : 'ended'
    },
  }
}

const signedInOf = (session: SessionRecord): SignedIn => ({
  subject: session.userId,
  authTime: session.authTime,
  amr: session.amr,
  acr: session.acr,
  sessionId: session.sessionId,
})
