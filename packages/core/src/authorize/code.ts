import { datedIdentifier, digestSecret, randomSecretAndIdentifier, type Random } from '@mintmark/internal'
import {
  after,
  type Brand,
  type DurationSeconds,
  type EpochSeconds,
  familyId,
  type GrantRecord,
  type JsonObject,
  type OAuthStorage,
  seconds,
} from '@mintmark/storage-interface'
import type { AuthenticationRecord, OrganizationId } from '@mintmark/storage-interface/stores'

import { profileRules, type SecurityProfile } from '../clients/security-profile.ts'
import type { ServerOccurrence } from '../events.ts'
import type { RateLimiter } from '../rate-limiter.ts'
import { refuse } from '../refusals.ts'
import { organizationScope } from '../permissions/organization.ts'
import type { JoinedSession } from '../sessions/join-session.ts'
import type { SignedInUser } from '../sessions/signed-in-user.ts'
import { consumePushedRequest } from './pushed-request.ts'
import { keepClaims, type ScopeRegistry } from '../permissions/scopes.ts'
import type { AuthorizationRequest, UserRequest } from './request.ts'
import { RedirectableError } from './response.ts'

export interface IssueCodeDependencies {
  readonly storage: OAuthStorage
  readonly random: Random
  readonly scopes: ScopeRegistry
  readonly codeLifetime: DurationSeconds
  readonly sessionBoundTokens: SessionBoundTokens
  readonly minimumProfile: SecurityProfile
  /** Counts the codes that are issued for each client and user. */
  readonly issuedCodes: RateLimiter
}

/** Which tokens are revoked when the session in which they were requested ends. */
export type SessionBoundTokens = 'without_offline_access' | 'all' | 'none'

/** The access that a user decided to give. */
export interface DecidedAccess {
  readonly request: UserRequest
  /** What the user consented to, now or before: a subset of the request's `consentScopes`. */
  readonly consented: readonly string[]
  /** The APIs that the tokens are for: a subset of the request's `resources`. */
  readonly resources: readonly string[]
  /** The authorization details that the user granted (RFC 9396). */
  readonly details: readonly JsonObject[]
  /** The organization that the tokens are for; `undefined` for none. */
  readonly organizationId: OrganizationId | undefined
}

/** Access that the server may give: it is stored as consent, and the user's session is known. */
export interface GrantedAccess extends DecidedAccess {
  readonly allowance: CodeAllowance
  readonly grant: GrantRecord
  readonly authentication: AuthenticationRecord
  /** The user's session. Its type proves that the client has joined the session before anything is issued. */
  readonly session: JoinedSession
}

/** What a code is issued for: the request, the consent that covers it, and how the user authenticated. */
interface CodeSubject extends GrantedAccess {
  readonly request: AuthorizationRequest
  /** The secret of the code; `undefined` for a random one. */
  readonly secret: string | undefined
}

/** Proof that one more code for the client and user is within the rate limit. Only `limitCodes` creates it. */
export type CodeAllowance = Brand<object, 'CodeAllowance'>

/**
 * Counts a code that is about to be issued. A signed-in browser must not fill the store with codes that no user waits
 * for (RFC 6819 §4.4.1.11). A script can send the form of a consent page, so codes after a page count too.
 * @throws RedirectableError temporarily_unavailable — reason `codes_throttled`.
 */
export async function limitCodes(
  { request, signedInUser }: { readonly request: UserRequest; readonly signedInUser: SignedInUser },
  now: EpochSeconds,
  { issuedCodes }: Pick<IssueCodeDependencies, 'issuedCodes'>,
): Promise<CodeAllowance> {
  const { clientId } = request.client
  const { userId } = signedInUser.user
  const decision = await issuedCodes.consume(`codes ${JSON.stringify([clientId, userId])}`, now)
  // RFC 6749 §4.1.2.1: temporarily_unavailable.
  if (!decision.allowed) throw new RedirectableError(refuse('codes_throttled', { clientId, userId }), request.target)
  return {} as CodeAllowance
}

/**
 * Issues an authorization code (RFC 6749 §4.1.2). Only its digest is stored.
 * @throws OAuthError invalid_request_uri — reason `request_uri_used`: another tab got a code for the pushed request.
 */
export async function issueCode(subject: CodeSubject, now: EpochSeconds, deps: IssueCodeDependencies): Promise<string> {
  const { request, grant, consented } = subject
  const { pushed } = request
  if (pushed !== undefined) await consumePushedRequest({ pushed, clientId: request.client.clientId }, now, deps)
  const { secret: randomSecret, identifier: family } = randomSecretAndIdentifier(deps.random)
  const { secret = randomSecret } = subject
  const { dpopJkt } = request
  const code = dpopJkt === undefined ? secret : boundCodePrefix + secret
  await deps.storage.codes.insert({
    digest: await digestSecret(code),
    clientId: request.client.clientId,
    grantId: grant.grantId,
    familyId: familyId(datedIdentifier(family, now)),
    userId: grant.userId,
    redirectUri: request.target.redirect,
    ...grantedAccess(subject),
    nonce: request.nonce,
    codeChallengeMethod: request.codeChallenge.method,
    codeChallenge: request.codeChallenge.challenge,
    claimsRequest: request.claimsRequest && keepClaims(request.claimsRequest, claimsOf(consented, deps.scopes)),
    authentication: subject.authentication,
    boundSessionId: isBoundToSession(subject, deps.sessionBoundTokens) ? subject.session.sessionId : undefined,
    possession: dpopJkt === undefined ? { kind: 'none' } : { kind: 'dpop', jkt: dpopJkt },
    issuedAt: now,
    expiresAt: after(now, codeLifetime(request, deps)),
  })
  return code
}

const claimsOf = (scopes: readonly string[], registry: ScopeRegistry): ReadonlySet<string> =>
  new Set(scopes.flatMap((scope) => registry.get(scope)?.claims ?? []))

/** Returns the members of the code that depend on what the user decided. */
export function grantedAccess(subject: DecidedAccess) {
  const scopes = grantedScopes(subject)
  return {
    scopes,
    resources: subject.resources,
    organizationId: scopes.includes(organizationScope) ? subject.organizationId : undefined,
    authorizationDetails: subject.details,
  }
}

function codeLifetime({ client }: AuthorizationRequest, deps: IssueCodeDependencies): DurationSeconds {
  const { longestCodeLifetime = deps.codeLifetime } = profileRules(client, deps)
  return seconds(Math.min(deps.codeLifetime, longestCodeLifetime))
}

/**
 * Marks a code that is bound to a DPoP key. The token endpoint checks the key before it consumes such a code, so that a
 * thief without the key cannot use up the code. The prefix cannot be removed, because storage has the digest of the
 * whole code.
 */
export const boundCodePrefix = 'bound_'

/** OIDC Back-Channel Logout 1.0 §2.7: tokens that were granted for offline access outlive the session. */
export const isBoundToSession = (subject: GrantedAccess, bound: SessionBoundTokens): boolean =>
  bound === 'all' || (bound === 'without_offline_access' && !grantedScopes(subject).includes('offline_access'))

/** Creates the event for an issued code. */
export const codeIssuedEvent = (subject: CodeSubject): ServerOccurrence => ({
  type: 'code.issued',
  clientId: subject.request.client.clientId,
  userId: subject.grant.userId,
  grantId: subject.grant.grantId,
  scopes: grantedScopes(subject),
  omittedScopes: subject.request.omittedScopes,
  advice: subject.request.codeChallenge.method === 'exempt' ? pkceAdvice : undefined,
})

const pkceAdvice =
  'The client does not use PKCE. If its library supports PKCE, turn it on and register the client with requirePkce (RFC 9700 §2.1.1).'

const grantedScopes = ({ request, consented }: DecidedAccess): readonly string[] =>
  request.scopes.filter((scope) => consented.includes(scope))
