import { after, familyId, type DurationSeconds, type EpochSeconds, type Storage } from '@mintmark/storage-interface'

import type { AuthenticatedClient } from '../client/authenticate-client.ts'
import { OAuthError } from '../error/oauth-error.ts'
import { identifyUser, type SignedIn } from '../sessions/signed-in-user.ts'
import { saveGrant } from '../authorize/consent.ts'
import { randomIdentifier, systemRandom, type Random } from '../runtime/random.ts'
import { isUserActive } from '../tokens/status.ts'
import type { UserDecision } from './grant.ts'

/** What a grant of the host's own gives to a client about a person. */
export interface UserGrant {
  readonly client: AuthenticatedClient
  /** Who it is, and how and when they proved it: what the host has just verified. */
  readonly signedIn: SignedIn
  /** Recorded as consent of the person's: the client is not asked about them again. */
  readonly scopes: readonly string[]
  /** How long the access token lives. */
  readonly lifetime: DurationSeconds
}

/**
 * For a grant of the host's own that is about a person (RFC 6749 §4.5): joins the person and the client by a grant,
 * as consent does, and founds a token family under it, without a refresh token. What is minted then ends with the
 * account, the grant and the client, and stands on the connected-apps page.
 * @throws OAuthError invalid_grant — reason `grant_refused`: there is no such account, or it is not active.
 * @throws TypeError when `authTime` is missing, not in seconds, or in the future.
 */
export async function grantForUser(
  given: UserGrant,
  now: EpochSeconds,
  deps: { readonly storage: Storage; readonly random?: Random },
): Promise<UserDecision> {
  const { storage, random = systemRandom } = deps
  const { clientId } = given.client
  const person = await identifyUser(given.signedIn, now, storage)
  const grant = person && (await saveGrant({ clientId, person, scopes: given.scopes }, now, { storage, random }))
  // RFC 6749 §5.2: nothing is granted about an account that is not there, or not active any more.
  if (person === undefined || grant === undefined || !isUserActive(person.user, grant.userGeneration))
    throw notGranted()

  const { user, authentication } = person
  const decision = {
    familyId: familyId(randomIdentifier(random)),
    grantId: grant.grantId,
    authentication,
    claimsRequest: undefined,
  }
  await storage.families.insert({
    ...decision,
    clientId,
    userId: user.userId,
    scopes: given.scopes,
    resources: [],
    refresh: undefined,
    createdAt: now,
    expiresAt: after(now, given.lifetime),
    revokedAt: undefined,
  })
  return { ...decision, user, nonce: undefined }
}

const notGranted = (): OAuthError =>
  new OAuthError('invalid_grant', 'The grant is not valid.', { reason: 'grant_refused' })
