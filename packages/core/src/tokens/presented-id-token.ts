import {
  type Brand,
  type EpochSeconds,
  epochSeconds,
  type GrantRecord,
  type JsonValue,
  type OAuthStorage,
  sessionId,
  userId,
} from '@mintmark/storage-interface'
import type { AuthenticationRecord, SessionId } from '@mintmark/storage-interface/stores'

import type { AuthenticatedClient } from '../clients/authenticate.ts'
import { isCurrent, verifyOwnJwt, type VerifyOwnJwtDependencies } from '../keys/verify-jwt.ts'
import { type ActiveUser, isBindingActive, isGrantActive } from '../permissions/status.ts'
import { userOfSubject } from './pairwise.ts'

/** The identifier of ID tokens (RFC 8693 §3). */
export const idTokenType = 'urn:ietf:params:oauth:token-type:id_token'

/** An ID token of this server for the client that presents it, which is active. Only `verifyIdToken` creates it. */
export type VerifiedIdToken = Brand<
  {
    readonly user: ActiveUser
    readonly grant: GrantRecord
    readonly boundSessionId: SessionId | undefined
    readonly authentication: AuthenticationRecord
    readonly expiresAt: EpochSeconds
  },
  'VerifiedIdToken'
>

/**
 * Verifies an ID token that the client presents instead of a user who signs in. Nobody revokes one, so everything that it was
 * issued under must still be active: the user, the grant of the client, which must not be newer, and the session.
 */
export async function verifyIdToken(
  token: string,
  { client, now }: { readonly client: AuthenticatedClient; readonly now: EpochSeconds },
  deps: VerifyOwnJwtDependencies & { readonly storage: OAuthStorage },
): Promise<VerifiedIdToken | undefined> {
  const claims = await verifyOwnJwt(token, 'JWT', deps)
  if (claims === undefined || !isCurrent(claims, now) || claims['aud'] !== client.clientId) return undefined
  const { sub, sid, auth_time: authTime, iat, exp, acr, amr = [], session_expiry: sessionExpiry } = claims
  if (typeof sub !== 'string' || typeof authTime !== 'number' || typeof iat !== 'number' || !isTextList(amr))
    return undefined
  // The `sid` of a client with pairwise subjects names no session, so that its end would not be noticed.
  if (sid !== undefined && (typeof sid !== 'string' || client.subjectType !== 'public')) return undefined
  const user = await userOfSubject(sub, client, deps.storage)
  if (user === undefined) return undefined
  const grant = await deps.storage.grants.findUnrevoked(userId(user), client.clientId)
  if (grant === undefined || iat < grant.createdAt) return undefined
  const boundSessionId = sid === undefined ? undefined : sessionId(sid)
  const status = await deps.storage.status.ofGrant(grant.grantId, boundSessionId)
  if (!isGrantActive(status) || status.user.userId !== user) return undefined
  if (!isBindingActive({ boundSessionId, userId: status.user.userId }, status.session)) return undefined
  const authentication = {
    authTime: epochSeconds(authTime),
    acr: typeof acr === 'string' ? acr : undefined,
    amr,
    sessionId: boundSessionId,
    sessionExpiresAt: typeof sessionExpiry === 'number' ? epochSeconds(sessionExpiry) : undefined,
  }
  const verified = {
    user: status.user,
    grant: status.grant,
    boundSessionId,
    authentication,
    expiresAt: epochSeconds(Number(exp)),
  }
  return verified as VerifiedIdToken
}

const isTextList = (value: JsonValue): value is readonly string[] =>
  Array.isArray(value) && value.every((member) => typeof member === 'string')
