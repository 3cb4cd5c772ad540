import type { ServerRequest } from '@mintmark/internal'
import {
  after,
  type Brand,
  type ClientId,
  type DurationSeconds,
  type EpochSeconds,
  type OAuthStorage,
} from '@mintmark/storage-interface'
import type { SessionId } from '@mintmark/storage-interface/stores'

import { refuse } from '../refusals.ts'
import type { SignedInUser } from './signed-in-user.ts'
import { summarizeUserAgent } from './user-agent.ts'

export interface JoinSessionDependencies {
  readonly storage: OAuthStorage
  /** How long a session is kept after a client joined it: longer than anything that is bound to it. */
  readonly sessionRetention: DurationSeconds
}

/** A session that the client has joined, or a sign-in that names no session. Only `joinSession` creates it. */
export type JoinedSession = Brand<{ readonly sessionId: SessionId | undefined }, 'JoinedSession'>

/**
 * Records that a client is about to receive a code in the user's session. When the session ends, every client that
 * joined it before is informed (OIDC Back-Channel Logout 1.0 §2).
 * @returns `undefined` when the session has ended: the user has to sign in again.
 * @throws OAuthError server_error — reason `session_of_another_user`.
 */
export async function joinSession(
  step: { readonly http: ServerRequest | undefined; readonly clientId: ClientId; readonly signedInUser: SignedInUser },
  now: EpochSeconds,
  deps: JoinSessionDependencies,
): Promise<JoinedSession | undefined> {
  const { http, clientId, signedInUser } = step
  const { user, authentication, location } = signedInUser
  const { sessionId, authTime, acr, amr } = authentication
  if (sessionId === undefined) return { sessionId } as JoinedSession
  const { outcome } = await deps.storage.sessions.join({
    session: {
      sessionId,
      userId: user.userId,
      userGeneration: user.generation,
      authTime,
      acr,
      amr,
      userAgent: summarizeUserAgent(http?.headers.get('user-agent')),
      location: location?.slice(0, 200),
      keptUntil: after(now, deps.sessionRetention),
    },
    clientId,
    now,
  })
  // The host used one user's sessionId for another user. The end of the first user's session would sign out the second.
  if (outcome === 'foreign') throw refuse('session_of_another_user', { clientId, userId: user.userId })
  return outcome === 'ended' ? undefined : ({ sessionId } as JoinedSession)
}
