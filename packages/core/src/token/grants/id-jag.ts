import { findResourceName, isSameResource } from '@mintmark/internal'
import { type Brand, type EpochSeconds, seconds, type UserId } from '@mintmark/storage-interface'
import type { AuthenticationRecord } from '@mintmark/storage-interface/stores'

import type { AuthenticatedClient } from '../../clients/authenticate.ts'
import { type CrossAppAudience, crossAppAudiencesOf } from '../../clients/cross-app-audiences.ts'
import type { ProfileSettings } from '../../clients/security-profile.ts'
import type { VerifyOwnJwtDependencies } from '../../keys/verify-jwt.ts'
import { type Parameters, splitAtSpaces } from '../../parameters.ts'
import { allowedScopes } from '../../permissions/scopes.ts'
import { refuse } from '../../refusals.ts'
import type { ProvenPossession } from '../../sender/proven-possession.ts'
import { confirmationOf } from '../../tokens/access-token.ts'
import type { AssertionDecision } from '../../tokens/grant.ts'
import { subjectFor } from '../../tokens/pairwise.ts'
import { idTokenType, verifyIdToken } from '../../tokens/presented-id-token.ts'
import { keepRefreshToken, type KeepRefreshTokenDependencies } from './refresh-token.ts'

export type IdJagDependencies = VerifyOwnJwtDependencies & KeepRefreshTokenDependencies & ProfileSettings

interface Call {
  readonly form: Parameters
  readonly client: AuthenticatedClient
  readonly possession: ProvenPossession
}

/** The identifier of ID-JAGs (ID-JAG §4.3). */
export const idJagTokenType = 'urn:ietf:params:oauth:token-type:id-jag'

/**
 * Decides on an ID-JAG: a JWT with which the client gets an access token of another authorization server, for a user of this
 * one. An administrator has registered the server and the scope values for the client; the user has signed in to the client,
 * and has not signed out.
 */
export async function decideIdJag(call: Call, now: EpochSeconds, deps: IdJagDependencies): Promise<AssertionDecision> {
  const { form, client } = call
  const audience = requestedAudience(form, client, deps.issuer)
  // RFC 9396 §6, ID-JAG §9.7: they would be missing in the ID-JAG.
  if (form.get('authorization_details') !== undefined) throw refuse('exchange_unsupported')
  if (form.get('actor_token') !== undefined) throw refuse('actor_token_invalid')
  const scopes = requestedScopes(form, { client, audience }, deps)
  const resources = requestedResources(form, audience)
  const subject = await proveSubject(call, now, deps)
  const { authTime, acr, amr } = subject.authentication
  const claims = {
    sub: await subjectThere(subject.userId, audience, deps),
    aud: audience.issuer,
    client_id: audience.clientId,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    ...(resources.length > 0 && { resource: resources.length === 1 ? (resources[0] ?? '') : resources }),
    auth_time: authTime,
    ...(acr !== undefined && { acr }),
    ...(amr.length > 0 && { amr }),
    // ID-JAG §9.8: the other server requires a proof of the same key.
    ...confirmationOf(call.possession),
  }
  const issue = { userId: subject.userId, audience: audience.issuer, scopes, resources, claims, lifetime }
  return { evidence: subject, client, issue }
}

/** ID-JAG §4.3.4: five minutes. The client presents it at once. */
const lifetime = seconds(300)

/** @throws OAuthError unauthorized_client — reason `exchange_not_permitted`; invalid_target — reason `exchange_target`. */
function requestedAudience(form: Parameters, client: AuthenticatedClient, own: string): CrossAppAudience {
  const audiences = crossAppAudiencesOf(client)
  // ID-JAG §4.3.3: no administrator has permitted it.
  if (audiences.length === 0) throw refuse('exchange_not_permitted')
  const [named, ...more] = form.all('audience')
  const found = audiences.find(({ issuer }) => named !== undefined && isSameResource(issuer, named))
  // ID-JAG §4.3.3, §9.3: another server, several, or this one.
  if (found === undefined || more.length > 0 || isSameResource(found.issuer, own)) throw refuse('exchange_target')
  return found
}

/** @throws OAuthError invalid_scope — reason `scope_not_allowed`. */
function requestedScopes(
  form: Parameters,
  { client, audience }: { readonly client: AuthenticatedClient; readonly audience: CrossAppAudience },
  deps: ProfileSettings,
): readonly string[] {
  const { scopes: allowed } = audience
  const requested = form.get('scope') === undefined ? allowed : splitAtSpaces(form.get('scope'))
  return requested.length === 0 ? [] : allowedScopes(requested, { client, allowed }, deps)
}

/** @throws OAuthError invalid_target — reason `exchange_target`. */
function requestedResources(form: Parameters, { resources }: CrossAppAudience): readonly string[] {
  const named = form.all('resource')
  if (named.length === 0) return resources
  return [
    ...new Set(
      named.map((uri) => {
        const found = findResourceName(uri, resources)
        // ID-JAG §4.3.3, RFC 8707 §2: no administrator has permitted it.
        if (found === undefined) throw refuse('exchange_target')
        return found
      }),
    ),
  ]
}

/** A user who has signed in to the client. Only `proveSubject` creates it. */
type ProvenUser = Brand<
  { readonly userId: UserId; readonly authentication: Pick<AuthenticationRecord, 'authTime' | 'acr' | 'amr'> },
  'ProvenUser' | 'GrantEvidence'
>

/**
 * Verifies the subject token: an ID token of this server for the client, or one of its refresh tokens, which is not replaced.
 * @throws OAuthError invalid_request — reason `subject_token_invalid`; invalid_grant — as for the refresh token grant.
 */
async function proveSubject(
  { form, client, possession }: Call,
  now: EpochSeconds,
  deps: IdJagDependencies,
): Promise<ProvenUser> {
  const token = form.get('subject_token')
  const type = form.get('subject_token_type')
  if (token !== undefined && type === refreshTokenType) {
    const { family } = await keepRefreshToken({ token, client, possession }, now, deps)
    const { authTime, acr, amr } = family.authentication
    return { userId: family.userId, authentication: { authTime, acr, amr } } as ProvenUser
  }
  const proven =
    token !== undefined && type === idTokenType ? await verifyIdToken(token, { client, now }, deps) : undefined
  // RFC 8693 §2.2.2, ID-JAG §4.3.3: it is missing, of another type, not active, or for another client.
  if (proven === undefined) throw refuse('subject_token_invalid')
  const { authTime, acr, amr } = proven.authentication
  return { userId: proven.user.userId, authentication: { authTime, acr, amr } } as ProvenUser
}

/** RFC 8693 §3. */
const refreshTokenType = 'urn:ietf:params:oauth:token-type:refresh_token'

/**
 * Returns the identifier by which the other server knows the user from sign-in (ID-JAG §5).
 * @throws OAuthError unauthorized_client — reason `exchange_not_permitted`: the client for sign-in does not exist any more.
 */
async function subjectThere(
  user: UserId,
  { subjectClient }: CrossAppAudience,
  { storage, random }: IdJagDependencies,
): Promise<string> {
  if (subjectClient === undefined) return user
  const client = await storage.clients.find(subjectClient)
  // ID-JAG §5: another identifier would name nobody, or somebody else.
  if (client === undefined || client.disabledAt !== undefined) throw refuse('exchange_not_permitted')
  return subjectFor(user, client, { storage, random })
}
