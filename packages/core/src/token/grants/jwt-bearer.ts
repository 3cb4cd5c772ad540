import { findResourceName, type Random, randomDatedIdentifier } from '@mintmark/internal'
import { type Brand, type EpochSeconds, familyId, grantId } from '@mintmark/storage-interface'
import type { Lineage } from '@mintmark/storage-interface/stores'

import type { AuthenticatedClient } from '../../clients/authenticate.ts'
import { jwtBearerGrantType } from '../../clients/grant-types.ts'
import type { ProfileSettings } from '../../clients/security-profile.ts'
import { saveGrant } from '../../consent/consent.ts'
import { type Parameters, splitAtSpaces } from '../../parameters.ts'
import { permittedResources } from '../../permissions/assertion-issuers.ts'
import { requestedResources, resolveTarget, usableScopes } from '../../permissions/resources.ts'
import { allowedScopes, registeredScopes } from '../../permissions/scopes.ts'
import type { RateLimiter } from '../../rate-limiter.ts'
import { refuse } from '../../refusals.ts'
import { identifyUser, type SignedInUser } from '../../sessions/signed-in-user.ts'
import { defineGrant, type GrantType } from '../../tokens/grant.ts'
import { permittedBy, type PermittedDependencies, tokensFor, type TokensDependencies } from '../issue.ts'
import { type VerifiedAssertion, verifyAssertion, type VerifyAssertionDependencies } from './presented-assertion.ts'

type JwtBearerDependencies = VerifyAssertionDependencies &
  PermittedDependencies &
  TokensDependencies &
  ProfileSettings & {
    readonly random: Random
    /** Counts how often an assertion that may be repeated is presented. */
    readonly repetitions: RateLimiter
  }

/** Returns the grant if somebody's assertions are accepted. */
export const jwtBearerGrants = (deps: JwtBearerDependencies): readonly GrantType[] =>
  deps.assertions.issuers.length > 0 || deps.assertions.acceptsDirectories ? [jwtBearerGrant(deps)] : []

/**
 * Creates the JWT bearer grant (RFC 7523 §2.1): a client presents a JWT in which an issuer that the host or an
 * administrator trusts names a user, and gets an access token for that user. There is no refresh token: everything is
 * checked again each time, so that a directory that deactivates a user ends the access of all clients.
 */
const jwtBearerGrant = (deps: JwtBearerDependencies): GrantType =>
  defineGrant({
    grantType: jwtBearerGrantType,
    async decide(form, { client, possession }, now) {
      const assertion = presentedText(form, client)
      const verified = await verifyAssertion(assertion, { client, possession, now }, deps)
      const signedInUser = await findUser(verified, { client, now }, deps)
      const granted = grantedAccess(form, { client, verified }, deps)
      const evidence = await accept(verified, { client, now }, deps)
      const grant = await joinGrant({ client, signedInUser }, now, deps)
      const stored = {
        grantId: grant,
        familyId: familyId(randomDatedIdentifier(deps.random, now)),
        clientId: client.clientId,
        userId: signedInUser.user.userId,
        ...granted,
        authorizationDetails: [],
        claimsRequest: undefined,
        authentication: verified.authentication,
        boundSessionId: undefined,
        organizationId: undefined,
      }
      // Reads the user again: they may have been deactivated meanwhile.
      const permission = { client, narrowing: { resources: [], details: undefined }, refusals }
      const permitted = await permittedBy(stored, permission, deps)
      const lineage = lineageOf(verified)
      const decision = await tokensFor({ permitted, evidence, possession, nonce: undefined, lineage }, now, deps)
      return { ...decision, assertion: presentationOf(verified) }
    },
  })

const refusals = {
  inactive: 'assertion_subject_inactive',
  clientChanged: 'client_document_changed_assertion',
  sessionEnded: 'assertion_subject_inactive',
} as const

/** @throws OAuthError unauthorized_client — reason `client_public`; invalid_request — reason `assertion_missing` | `assertion_unsupported`. */
function presentedText(form: Parameters, { clientId, tokenEndpointAuthMethod }: AuthenticatedClient): string {
  // ID-JAG §9.1: otherwise a stolen assertion could be used by anybody.
  if (tokenEndpointAuthMethod === 'none') throw refuse('client_public_assertion', { clientId })
  const assertion = form.get('assertion')
  // RFC 7523 §2.1: assertion is required.
  if (assertion === undefined) throw refuse('assertion_missing', { clientId })
  // RFC 9396 §6: the client would believe that its token is narrower than it is.
  if (form.get('authorization_details') !== undefined) throw refuse('assertion_unsupported', { clientId })
  return assertion
}

interface Presentation {
  readonly client: AuthenticatedClient
  readonly now: EpochSeconds
}

const contextOf = (verified: VerifiedAssertion, { clientId }: AuthenticatedClient) => ({
  clientId,
  assertion: presentationOf(verified),
})

const presentationOf = ({ trusted, tokenId, subject, claims: { act } }: VerifiedAssertion) => ({
  issuer: trusted.keys.issuer,
  providerId: trusted.providerId,
  tokenId,
  subject,
  ...(act !== undefined && { act }),
})

/** The tokens end with the trust in the directory that vouched for the user. */
const lineageOf = ({ trusted: { providerId } }: VerifiedAssertion): Lineage | undefined =>
  providerId === undefined ? undefined : { parents: [], tokenIds: [], providerId }

/** @throws OAuthError invalid_grant — reason `assertion_subject_unknown` | `assertion_subject_inactive`. */
async function findUser(
  verified: VerifiedAssertion,
  { client, now }: Presentation,
  { storage }: JwtBearerDependencies,
): Promise<SignedInUser> {
  const context = contextOf(verified, client)
  const subject = await verified.trusted.findUser(verified.claims)
  // RFC 7523 §3 (2): the issuer has no such user here. No account is created or adopted.
  if (subject === undefined) throw refuse('assertion_subject_unknown', context)
  const { authTime, amr } = verified.authentication
  const user = await identifyUser({ subject, authTime, amr }, now, storage)
  // RFC 6749 §5.2: the user does not exist or is not active.
  if (user === undefined) throw refuse('assertion_subject_inactive', { ...context, userId: subject })
  return user
}

/**
 * Determines scope values and APIs: those that the assertion has and the trust in its issuer permits, or the requested part
 * of them. Tokens are for named APIs only, and tell nothing about the user's identity.
 * @throws OAuthError invalid_scope — reason `scope_not_allowed`; invalid_target — reason `assertion_target` or one of
 *   `requestedResources`.
 */
function grantedAccess(
  form: Parameters,
  { client, verified }: { readonly client: AuthenticatedClient; readonly verified: VerifiedAssertion },
  deps: JwtBearerDependencies,
): { readonly scopes: readonly string[]; readonly resources: readonly string[] } {
  const { trusted } = verified
  const claimed = verified.scopes ?? (trusted.profile === 'jwt' ? trusted.scopes : [])
  const allowed = registeredScopes(claimed, client).filter(
    (scope) => trusted.scopes.includes(scope) && !deps.identityScopes.has(scope),
  )
  const requested = form.get('scope') === undefined ? claimed : splitAtSpaces(form.get('scope'))
  const permitted = requested.length === 0 ? [] : allowedScopes(requested, { client, allowed }, deps)

  const available = permittedResources(verified.resources, trusted)
  const named = form.all('resource').length > 0 ? form.all('resource') : verified.resources && available
  const implied = requestedResources({ named: named ?? [], scopes: permitted, client }, deps)
  const resources = implied.length === 0 && available.length === 1 ? available : implied
  // RFC 8707 §2, ID-JAG §4.4.1: no API is named, or one that the assertion or the trust in its issuer does not permit.
  if (resources.length === 0 || resources.some((uri) => findResourceName(uri, available) === undefined))
    throw refuse('assertion_target', contextOf(verified, client))
  const scopes = usableScopes(permitted, { resources }, deps)
  // A resource that the client may not have is refused before anything is stored.
  resolveTarget({ scopes, resources, client }, deps)
  return { scopes, resources }
}

/** An assertion that this request may use. Only `accept` creates it. */
type AcceptedAssertion = Brand<VerifiedAssertion, 'AcceptedAssertion' | 'GrantEvidence'>

/** @throws OAuthError invalid_grant — reason `assertion_replayed`; temporarily_unavailable — reason `assertion_throttled`. */
async function accept(
  verified: VerifiedAssertion,
  { client, now }: Presentation,
  { storage, repetitions }: JwtBearerDependencies,
): Promise<AcceptedAssertion> {
  const { trusted, tokenId, expiresAt } = verified
  const value = JSON.stringify([trusted.keys.issuer, trusted.tenant ?? null, tokenId])
  if (trusted.reuse === 'once') {
    const used = await storage.replays.markUsed({ purpose: 'assertion_jti', value, expiresAt, now })
    // RFC 7523 §3 (7): an assertion is used once.
    if (used.outcome !== 'fresh') throw refuse('assertion_replayed', contextOf(verified, client))
    return verified as AcceptedAssertion
  }
  // ID-JAG §4.4.3: the client may present it again. Each time creates a token family.
  const decision = await repetitions.consume(value, now)
  if (!decision.allowed)
    throw refuse('assertion_throttled', contextOf(verified, client), { retryAfter: decision.retryAfter })
  return verified as AcceptedAssertion
}

/**
 * Returns the grant of the user and the client, with which the tokens are revoked. What an issuer grants is no consent of
 * the user: a new grant contains none, and an existing one stays as it is.
 * @throws OAuthError invalid_grant — reason `assertion_subject_inactive`.
 */
async function joinGrant(
  { client, signedInUser }: { readonly client: AuthenticatedClient; readonly signedInUser: SignedInUser },
  now: EpochSeconds,
  deps: JwtBearerDependencies,
) {
  const { clientId, documentDigest: clientDigest } = client
  const nothing = { scopes: [], resources: [], audience: 'apis', authorizationDetails: [] } as const
  const consent = { clientId, clientDigest, signedInUser, ...nothing, shown: nothing }
  const grant = await saveGrant(consent, now, { ...deps, rules: deps })
  // RFC 6749 §5.2: the user was deactivated and reactivated meanwhile.
  if (grant === undefined) throw refuse('assertion_subject_inactive', { clientId, userId: signedInUser.user.userId })
  return grantId(grant.grantId)
}
