import {
  epochSeconds,
  sessionId,
  userId,
  type AuthenticationRecord,
  type InteractionLogin,
  type Storage,
  type UserRecord,
} from '@mintmark/storage-interface'

import type { SignedIn } from '../session/signed-in.ts'
import { isUserLive } from '../standing/is-live.ts'

/** A signed-in person whose account is active. */
export interface Person {
  readonly user: UserRecord
  readonly authentication: AuthenticationRecord
}

/** Finds the active account that a session names; `undefined` when nobody is signed in, or the account is not active. */
export async function identifyPerson(signedIn: SignedIn | undefined, storage: Storage): Promise<Person | undefined> {
  if (signedIn === undefined) return undefined
  const user = await storage.users.find(userId(signedIn.subject))
  return user?.active === true ? { user, authentication: authenticationOf(signedIn) } : undefined
}

/** Finds who signed in to an interaction earlier; `undefined` when the account has been deactivated since. */
export async function recallPerson(login: InteractionLogin | undefined, storage: Storage): Promise<Person | undefined> {
  if (login === undefined) return undefined
  const user = await storage.users.find(login.userId)
  if (user === undefined || !isUserLive(user, login.userGeneration)) return undefined
  return { user, authentication: login.authentication }
}

export const loginOf = (person: Person): InteractionLogin => ({
  userId: person.user.userId,
  userGeneration: person.user.generation,
  authentication: person.authentication,
})

const authenticationOf = (signedIn: SignedIn): AuthenticationRecord => ({
  authTime: epochSeconds(signedIn.authTime),
  acr: signedIn.acr,
  amr: signedIn.amr ?? [],
  sessionId: signedIn.sessionId === undefined ? undefined : sessionId(signedIn.sessionId),
})
