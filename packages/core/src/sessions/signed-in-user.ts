import {
  epochSeconds,
  sessionId,
  userId,
  type AuthenticationRecord,
  type EpochSeconds,
  type InteractionLogin,
  type Storage,
  type UserRecord,
} from '@mintmark/storage-interface'

import { isUserActive } from '../tokens/status.ts'

/** Who the host's session says is there, and how they signed in. */
export interface SignedIn {
  /** The account's identifier in storage; the `sub` of its tokens. */
  readonly subject: string
  /** When they last proved who they are, in seconds since the epoch. A time in the future is an error. */
  readonly authTime: number
  /** How, by the names of RFC 8176, such as `['pwd']`. */
  readonly amr?: readonly string[] | undefined
  /** The authentication context class that was satisfied (OIDC Core §2). */
  readonly acr?: string | undefined
  /** A public name of the session, for the `sid` claim; never the secret in its cookie. */
  readonly sessionId?: string | undefined
}

/** A signed-in person whose account is active. */
export interface SignedInUser {
  readonly user: UserRecord
  readonly authentication: AuthenticationRecord
}

/**
 * Finds the active account that a session names; `undefined` when nobody is signed in, or the account is not active.
 * @throws TypeError when the host's `authTime` cannot be one.
 */
export async function identifyUser(
  signedIn: SignedIn | undefined,
  now: EpochSeconds,
  storage: Storage,
): Promise<SignedInUser | undefined> {
  if (signedIn === undefined) return undefined
  const authentication = authenticationOf(signedIn, now)
  const user = await storage.users.find(userId(signedIn.subject))
  return user?.active === true ? { user, authentication } : undefined
}

/** Finds who signed in to an interaction earlier; `undefined` when the account has been deactivated since. */
export async function recallUser(
  login: InteractionLogin | undefined,
  storage: Storage,
): Promise<SignedInUser | undefined> {
  if (login === undefined) return undefined
  const user = await storage.users.find(login.userId)
  if (user === undefined || !isUserActive(user, login.userGeneration)) return undefined
  return { user, authentication: login.authentication }
}

export const loginOf = (person: SignedInUser): InteractionLogin => ({
  userId: person.user.userId,
  userGeneration: person.user.generation,
  authentication: person.authentication,
})

function authenticationOf(signedIn: SignedIn, now: EpochSeconds): AuthenticationRecord {
  const authTime = epochSeconds(signedIn.authTime)
  // OIDC Core §3.1.2.1: max_age is counted from it. No age is too great for a time in milliseconds, or for one that is no number.
  if (!(authTime <= now + clockSkew)) {
    throw new TypeError('authTime must be a time in seconds since the epoch, and not in the future.')
  }
  const { acr, amr = [], sessionId: session } = signedIn
  return { authTime, acr, amr, sessionId: session === undefined ? undefined : sessionId(session) }
}

/** Seconds by which the clock of the host's sign-in may be ahead. */
const clockSkew = 60
