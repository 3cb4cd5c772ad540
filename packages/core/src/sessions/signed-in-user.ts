import {
  aListOfStrings,
  aNonEmptyString,
  aNumber,
  aString,
  aStringMatching,
  checkOptions,
  type OptionChecks,
  required,
  type ServerRequest,
  wholeNumber,
} from '@mintmark/internal'
import {
  type EpochSeconds,
  epochSeconds,
  type OAuthStorage,
  sessionId,
  userId,
  type UserRecord,
} from '@mintmark/storage-interface'
import type { AuthenticationRecord, InteractionLogin } from '@mintmark/storage-interface/stores'

import { isUserActive } from '../permissions/status.ts'

/** The user whom the host's session identifies, and how they signed in. */
export interface SignedIn {
  /** The user's identifier in storage; the `sub` of their tokens. */
  readonly subject: string
  /**
   * When they last authenticated, in seconds since the epoch. A session with a time more than a minute in the future is
   * ignored.
   */
  readonly authTime: number
  /** How they authenticated, as values of RFC 8176, such as `['pwd']`. */
  readonly amr?: readonly string[] | undefined
  /** The authentication context class that was satisfied (OIDC Core §2). */
  readonly acr?: string | undefined
  /**
   * A public identifier of the session, for the `sid` claim; never the secret in its cookie. It has at most 255
   * characters. Create a new one for each sign-in: a session that has ended is never active again.
   */
  readonly sessionId?: string | undefined
  /**
   * When the session ends at the latest, in seconds since the epoch. A client with the profile `ipsie_sl1` learns it
   * (`session_expiry`), and gets nothing without it.
   */
  readonly expiresAt?: number | undefined
  /**
   * Where the user is, for lists of sessions, such as `Zürich`; at most 200 characters are kept. It is stored when the
   * first client joins the session. Name a place: an IP address is personal data.
   */
  readonly location?: string | undefined
}

/** A signed-in user who is active. */
export interface SignedInUser {
  readonly user: UserRecord
  readonly authentication: AuthenticationRecord
  /** The place of the user, as the host names it in the present request. */
  readonly location?: string | undefined
}

/** Wraps the host's option, so that a session with a member of another type does not sign anybody in. */
export const checkedSessions =
  (find: (request: ServerRequest) => Promise<SignedIn | undefined>) =>
  async (request: ServerRequest): Promise<SignedIn | undefined> => {
    const session = await find(request)
    if (session !== undefined) checkSignedIn(session)
    return session
  }

/**
 * Checks the types. A host that is not type-checked may pass a row of its table, in which missing values are null.
 * @throws TypeError that names the member.
 */
function checkSignedIn(signedIn: SignedIn | null): void {
  if (typeof signedIn !== 'object' || signedIn === null)
    throw new TypeError('signedIn must return an object, or undefined if nobody is signed in.')
  const { subject, authTime, amr, acr, sessionId: session, expiresAt, location } = signedIn
  const members = { subject, authTime, amr, acr, sessionId: session, expiresAt, location }
  checkOptions<SignedIn>('SignedIn', members, signedInChecks)
}

export const aSessionId = aStringMatching(/^[^]{1,255}$/, 'must be a string of 1 to 255 characters')

const signedInChecks: OptionChecks<SignedIn> = {
  subject: required(aNonEmptyString),
  authTime: required(aNumber(0, Number.MAX_SAFE_INTEGER)),
  amr: aListOfStrings,
  acr: aNonEmptyString,
  sessionId: aSessionId,
  expiresAt: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  location: aString,
}

/**
 * Finds the active user who has just signed in; `undefined` when the user does not exist or is not active.
 * @throws TypeError when a member has another type, or `authTime` is not a valid time.
 */
export async function identifyUser(
  signedIn: SignedIn,
  now: EpochSeconds,
  storage: Pick<OAuthStorage, 'users'>,
): Promise<SignedInUser | undefined> {
  checkSignedIn(signedIn)
  return activeUserOf(signedIn, now, storage)
}

async function activeUserOf(
  signedIn: SignedIn,
  now: EpochSeconds,
  storage: Pick<OAuthStorage, 'users'>,
): Promise<SignedInUser | undefined> {
  const authentication = authenticationOf(signedIn, now)
  const user = await storage.users.find(userId(signedIn.subject))
  return user?.active === true ? { user, authentication, location: signedIn.location } : undefined
}

/**
 * Finds the active user of the host's session. A session that starts in the future, because the clock of another server
 * is ahead, is ignored: the user signs in again.
 * @throws TypeError when `authTime` is not in seconds.
 */
export function identifySession(
  signedIn: SignedIn | undefined,
  now: EpochSeconds,
  storage: OAuthStorage,
): Promise<SignedInUser | undefined> {
  const session = currentSession(signedIn, now)
  return session === undefined ? nobody : activeUserOf(session, now, storage)
}

const nobody = Promise.resolve(undefined)

/** Returns the host's session; `undefined` when it starts in the future, because it is ignored in every step. */
export const currentSession = (signedIn: SignedIn | undefined, now: EpochSeconds): SignedIn | undefined =>
  signedIn !== undefined && isFromFuture(signedIn, now) ? undefined : signedIn

/**
 * Whether the sign-in is in the future. A time in milliseconds is not: it is a mistake of the host, which is reported.
 */
export const isFromFuture = ({ authTime }: SignedIn, now: EpochSeconds): boolean =>
  authTime > now + clockSkew && authTime < 10 * now

/**
 * Finds the user who signed in earlier in this interaction; `undefined` when they have been deactivated since, or when
 * their session has ended.
 * @param visit the `currentSession` of the present request. `isFromSession`: a session has identified the user, before the
 *   interaction or in an earlier request of it.
 */
export async function recallUser(
  login: InteractionLogin | undefined,
  visit: { readonly signedIn: SignedIn | undefined; readonly isFromSession: boolean; readonly now: EpochSeconds },
  storage: OAuthStorage,
): Promise<SignedInUser | undefined> {
  if (login === undefined) return undefined
  const authentication = currentAuthentication(login, visit)
  if (authentication === undefined) return undefined
  const user = await storage.users.find(login.userId)
  if (user === undefined || !isUserActive(user, login.userGeneration)) return undefined
  return { user, authentication, location: visit.signedIn?.location }
}

/**
 * Returns how the user who signed in is authenticated now; `undefined` if the browser's session has ended or belongs to
 * another user. If the user has signed in again in another tab, which replaces the session, the new session is used. A
 * host without sessions identifies nobody before or after the sign-in; the sign-in then stays valid.
 */
function currentAuthentication(
  { userId: user, authentication }: InteractionLogin,
  { signedIn, isFromSession, now }: Parameters<typeof recallUser>[1],
): AuthenticationRecord | undefined {
  // OIDC Core §3.1.2.3: the user who consents is authenticated.
  if (signedIn === undefined)
    return isFromSession || authentication.sessionId !== undefined ? undefined : authentication
  if (signedIn.subject !== user) return undefined
  const isSameSession = authentication.sessionId === undefined || signedIn.sessionId === authentication.sessionId
  if (isSameSession || signedIn.sessionId === undefined) return authentication
  return authenticationOf(signedIn, now)
}

/** @param session the host's session in the present request. */
export const loginOf = ({ user, authentication }: SignedInUser, session: SignedIn | undefined): InteractionLogin => ({
  userId: user.userId,
  userGeneration: user.generation,
  authentication,
  inSession: session?.subject === user.userId,
})

function authenticationOf(signedIn: SignedIn, now: EpochSeconds): AuthenticationRecord {
  const authTime = epochSeconds(signedIn.authTime)
  // OIDC Core §3.1.2.1: max_age is measured from authTime. The check also rejects milliseconds.
  if (authTime > now + clockSkew) {
    throw new TypeError('authTime must be a time in seconds since the epoch, and not in the future.')
  }
  const { acr, amr = [], sessionId: session, expiresAt } = signedIn
  return {
    authTime,
    acr,
    amr,
    sessionId: session === undefined ? undefined : sessionId(session),
    sessionExpiresAt: expiresAt === undefined ? undefined : epochSeconds(expiresAt),
  }
}

/** How far ahead the host's clock may be, in seconds. */
const clockSkew = 60
