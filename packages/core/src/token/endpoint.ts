import {
  type Clock,
  type Endpoint,
  type Header,
  json,
  noStore,
  type ServerRequest,
  type ServerResponse,
} from '@mintmark/internal'
import type { DurationSeconds, EpochSeconds, JsonObject } from '@mintmark/storage-interface'
import type { GrantId } from '@mintmark/storage-interface/stores'

import {
  authenticateClient,
  type AuthenticatedClient,
  type ClientAuthenticationDependencies,
} from '../clients/authenticate.ts'
import { profileRules } from '../clients/security-profile.ts'
import type { Journal } from '../events.ts'
import { type Parameters, readForm, refuseRepeated } from '../parameters.ts'
import { beginningOf, refuse, toOAuthError, withContext } from '../refusals.ts'
import { type MutualTls, proveCertificate } from '../sender/client-certificate.ts'
import type { DpopVerifier, VerifiedProof } from '../sender/prove-possession.ts'
import { noPossession, type ProvenPossession } from '../sender/proven-possession.ts'
import { mintAccessToken, subjectOf, type AccessTokenDependencies } from '../tokens/access-token.ts'
import { assertionResponse } from './assertion-response.ts'
import { accessTokenType } from './grants/exchange-subject.ts'
import { computeTokenClaims, type ClaimsDependencies, type TokenClaims } from '../tokens/claims.ts'
import { mintIdToken, type IdTokenDependencies } from '../tokens/id-token.ts'
import type { DecisionForUser, GrantDecision, GrantType } from '../tokens/grant.ts'
import { requireResource } from '../permissions/resources.ts'
import { omittedScopes } from '../permissions/scopes.ts'

export interface TokenEndpointDependencies extends ClientAuthenticationDependencies, MintDependencies {
  readonly clock: Clock
  readonly grants: readonly GrantType[]
  readonly journal: Journal
  readonly dpop: DpopVerifier
  readonly mutualTls: MutualTls | undefined
  /** Whether token responses contain the identifier of the grant. */
  readonly managesGrants: boolean
}

/**
 * `POST /token` (RFC 6749 §3.2). A DPoP proof is verified first, which changes nothing: a client that has to repeat its
 * request with a nonce can do so with the same assertion and code (RFC 9449 §8).
 */
export const tokenEndpoint = (deps: TokenEndpointDependencies): Endpoint => {
  const target = { url: `${deps.issuer}/token` }
  return async (request) => {
    const now = deps.clock()
    const form = refuseRepeated(readForm(request))
    const proof = request.headers.has('dpop') ? await deps.dpop.verify(request, target, now) : undefined
    const client = await authenticateClient({ request, form }, now, deps)
    const { clientId } = client
    try {
      return await answerClient({ request, form, proof, client }, now, deps)
    } catch (error) {
      // From here on, every refusal and every failure names the client.
      throw withContext(toOAuthError(error), { clientId })
    }
  }
}

async function answerClient(
  { request, form, proof, client }: AuthenticatedRequest,
  now: EpochSeconds,
  deps: TokenEndpointDependencies,
): Promise<ServerResponse> {
  const grant = selectGrant(form, client, deps.grants)
  if (client.profile !== 'standard' || deps.minimumProfile !== 'standard')
    requireResource(form, profileRules(client, deps))
  // RFC 9449 §11.1: a used proof is stored. Anybody can send requests in the name of a public client, so that its
  // credential is checked before anything is stored.
  if (proof !== undefined && client.tokenEndpointAuthMethod === 'none') await grant.refuseUnknown?.(form, client, now)
  const possession = await provePossession({ request, proof, client }, now, deps)
  const { signal, isAbandoned } = request
  const decided = await grant.decide(form, { client, possession, signal, isAbandoned }, now)
  const proofHeaders = () => (proof === undefined ? [] : deps.dpop.headers(proof, now))
  if ('issue' in decided) {
    const { tokenId, response } = await assertionResponse(decided, { now, headers: await proofHeaders() }, deps)
    const { userId: subject, audience, scopes, resources } = decided.issue
    const issued = { clientId: client.clientId, subject, audience, scopes, resources, tokenId }
    deps.journal.record(request, { type: 'assertion.issued', ...issued })
    return response
  }
  const decision = await withClaims(decided, deps)
  const tokens = await mintTokens(decision, now, deps)
  deps.journal.record(request, {
    type: 'tokens.issued',
    grantType: grant.grantType,
    clientId: client.clientId,
    subject: subjectOf(decision),
    familyId: decision.forUser?.familyId,
    scopes: decision.target.scopes,
    omittedScopes: omittedScopes(form.get('scope'), decision.target.scopes),
    audience: decision.target.audience,
    exchange: exchangeOf(decision),
    assertion: decision.assertion,
    omittedClaims: decision.claims.omitted,
  })
  return tokenResponse(tokens, await proofHeaders())
}

function exchangeOf({ exchange }: GrantDecision) {
  if (exchange === undefined) return undefined
  const { parents = [], tokenIds = [], act } = exchange.lineage ?? {}
  return { mode: exchange.mode, parents, tokenIds, ...(act !== undefined && { act }) }
}

interface AuthenticatedRequest {
  readonly request: ServerRequest
  readonly form: Parameters
  readonly proof: VerifiedProof | undefined
  readonly client: AuthenticatedClient
}

/**
 * @throws OAuthError invalid_dpop_proof — reason `dpop_proof_missing` | `dpop_replayed`; invalid_request — reason
 *   `certificate_missing` | `certificate_with_proof`.
 */
async function provePossession(
  presented: Omit<AuthenticatedRequest, 'form'>,
  now: EpochSeconds,
  { dpop, mutualTls }: TokenEndpointDependencies,
): Promise<ProvenPossession> {
  const { request, proof, client } = presented
  if (client.tlsClientCertificateBoundAccessTokens) {
    // RFC 7800 §3.1: a token is bound to one key.
    if (proof !== undefined) throw refuse('certificate_with_proof', { clientId: client.clientId })
    const certificate = await proveCertificate(request, mutualTls)
    // RFC 8705 §3: a client whose tokens are bound gets no bearer token, even when a proxy loses its certificate.
    if (certificate === undefined) throw refuse('certificate_missing', { clientId: client.clientId })
    return certificate
  }
  if (proof !== undefined) return dpop.use(proof, now)
  // RFC 9449 §5.2: a client that must use DPoP gets no bearer token.
  if (client.dpopBoundAccessTokens) throw refuse('dpop_proof_missing', { clientId: client.clientId })
  return noPossession
}

/**
 * Finds the grant type that the request names.
 * @throws OAuthError invalid_request — reason `grant_type_missing`.
 * @throws OAuthError unsupported_grant_type — reason `grant_type_unknown`.
 * @throws OAuthError unauthorized_client — reason `grant_type_not_registered`.
 */
function selectGrant(form: Parameters, client: AuthenticatedClient, grants: readonly GrantType[]): GrantType {
  const grantType = form.get('grant_type')
  // RFC 6749 §4: every token request names its grant type.
  if (grantType === undefined) throw refuse('grant_type_missing')
  const grant = grants.find((candidate) => candidate.grantType === grantType)
  if (grant !== undefined && client.grantTypes.includes(grantType)) return grant
  // RFC 6749 §5.2: unsupported_grant_type, unauthorized_client.
  const reason = grant === undefined ? 'grant_type_unknown' : 'grant_type_not_registered'
  throw refuse(reason, { clientId: client.clientId, requestedGrantType: beginningOf(grantType) })
}

type MintDependencies = AccessTokenDependencies &
  IdTokenDependencies &
  ClaimsDependencies & { readonly managesGrants: boolean }

type DecisionWithClaims = GrantDecision & { readonly claims: TokenClaims }

/** Computes the claims unless the grant type has done so. Grant types of the host usually have not. */
async function withClaims(decision: GrantDecision, deps: ClaimsDependencies): Promise<DecisionWithClaims> {
  const { client, target, forUser, claims } = decision
  if (claims !== undefined) return { ...decision, claims }
  const subject = {
    ...target,
    client,
    user: forUser?.user,
    claimsRequest: forUser?.claimsRequest,
    organization: forUser?.organization,
  }
  return { ...decision, claims: await computeTokenClaims(subject, deps) }
}

/** Mints the tokens of a decision: an access token, and an ID token if a user granted `openid` (OIDC Core §3.1.3.3). */
async function mintTokens(
  decision: DecisionWithClaims,
  now: EpochSeconds,
  deps: MintDependencies,
): Promise<IssuedTokens> {
  const accessToken = await mintAccessToken(decision, now, deps)
  const released = decision.claims.idToken
  const idToken = needsIdToken(decision) ? await mintIdToken({ decision, accessToken, released }, now, deps) : undefined
  return {
    accessToken,
    // RFC 8705 §3: the type of a token that is bound to a certificate is also `Bearer`.
    tokenType: decision.possession.kind === 'dpop' ? 'DPoP' : 'Bearer',
    expiresIn: decision.target.lifetime,
    idToken,
    refreshToken: decision.refreshToken,
    scopes: decision.target.scopes,
    details: decision.authorizationDetails,
    issuedTokenType: decision.exchange === undefined ? undefined : accessTokenType,
    grantId: deps.managesGrants ? decision.forUser?.grantId : undefined,
  }
}

const needsIdToken = (decision: GrantDecision): decision is DecisionForUser =>
  // RFC 8693 §2.2.1: the response to an exchange has one token.
  decision.forUser !== undefined && decision.exchange === undefined && decision.target.scopes.includes('openid')

interface IssuedTokens {
  readonly accessToken: string
  readonly tokenType: 'Bearer' | 'DPoP'
  readonly expiresIn: DurationSeconds
  readonly idToken: string | undefined
  readonly refreshToken: string | undefined
  readonly scopes: readonly string[]
  readonly details: readonly JsonObject[] | undefined
  /** With a token that was exchanged. */
  readonly issuedTokenType: string | undefined
  readonly grantId: GrantId | undefined
}

/** Renders the successful token response (RFC 6749 §5.1, OIDC Core §3.1.3.3). JSON omits absent members. */
const tokenResponse = (tokens: IssuedTokens, headers: readonly Header[]): ServerResponse =>
  json(
    200,
    {
      access_token: tokens.accessToken,
      // RFC 8693 §2.2.1.
      issued_token_type: tokens.issuedTokenType,
      token_type: tokens.tokenType,
      expires_in: tokens.expiresIn,
      refresh_token: tokens.refreshToken,
      id_token: tokens.idToken,
      scope: tokens.scopes.length > 0 ? tokens.scopes.join(' ') : undefined,
      // RFC 9396 §7.
      authorization_details: tokens.details,
      // Grant Management §5.5.
      grant_id: tokens.grantId,
    },
    headers.length === 0 ? noStore : [...noStore, ...headers],
  )
