import { digestSecret, encodeBase64url, equalInConstantTime, sha256, stopIfAbandoned } from '@mintmark/internal'
import {
  type EpochSeconds,
  type OAuthStorage,
  type AuthorizationCodeRecord,
  type Brand,
  type ClientRecord,
} from '@mintmark/storage-interface'
import type { StatusStore } from '@mintmark/storage-interface/stores'

import { boundCodePrefix } from '../../authorize/code.ts'
import { needsPkce } from '../../authorize/parameters.ts'
import { registeredScopes } from '../../permissions/scopes.ts'
import type { AuthenticatedClient } from '../../clients/authenticate.ts'
import type { Parameters } from '../../parameters.ts'
import { refuse, type OAuthError, type Refusal } from '../../refusals.ts'
import type { ProvenPossession } from '../../sender/proven-possession.ts'
import { defineGrant, type GrantType } from '../../tokens/grant.ts'
import { narrowedDetails, narrowResources, resolveTarget } from '../../permissions/resources.ts'
import { claimsMayFail, computeTokenClaims, type ClaimsDependencies, type TokenClaims } from '../../tokens/claims.ts'
import type { RefreshLifetimes } from '../../tokens/refresh-token.ts'
import { organizationOfGrant } from '../../permissions/organization.ts'
import { isGrantActive, isPossession, isSameKey } from '../../permissions/status.ts'
import {
  type Narrowing,
  parseNarrowing,
  permittedBy,
  type PermittedDependencies,
  revokeFamilyOf,
  tokensFor,
  type TokensDependencies,
} from '../issue.ts'

type AuthorizationCodeGrantDependencies = RedeemCodeDependencies &
  TokensDependencies &
  PermittedDependencies &
  ClaimsDependencies & {
    /** Reads storage without the host's user table: a replay is noticed even while that table cannot be read. */
    readonly storedStatus: StatusStore
  }

/** Creates the authorization code grant (RFC 6749 §4.1.3) with PKCE (RFC 7636). */
export const authorizationCodeGrant = (deps: AuthorizationCodeGrantDependencies): GrantType =>
  defineGrant({
    grantType: 'authorization_code',
    async refuseUnknown(form, client, now) {
      const { code } = parseCodePresentation(form)
      const found = await deps.storage.codes.find(await digestSecret(code), client.clientId, now)
      // RFC 6749 §5.2: the code is unknown, expired, or another client's. A redeemed code is not refused here, because
      // its replay must revoke the token family.
      if (found === undefined) throw codeRefusal('code_unknown', client, undefined)
    },
    async decide(form, { client, possession, signal, isAbandoned }, now) {
      const presentation = { ...parseCodePresentation(form), possession }
      const claims = await checkBeforeConsumption({ presentation, client }, now, deps)
      stopIfAbandoned({ signal, isAbandoned })
      const code = await redeemCode({ presentation, client }, now, deps)
      const permitted = await permittedBy(code, { client, narrowing: presentation, refusals }, deps)
      const decision = await tokensFor({ permitted, evidence: code, possession, nonce: code.nonce }, now, deps)
      return claims === undefined ? decision : { ...decision, claims }
    },
  })

const refusals = {
  inactive: 'grant_inactive',
  clientChanged: 'client_document_changed_code',
  sessionEnded: 'session_ended',
} as const

/**
 * Makes the checks whose failure must not consume the code. If the requested resources or details were not granted, the
 * client can correct its request and use the code again. If the claims cannot be computed, the client can repeat its
 * request. If the sender did not prove the key that the code is bound to, the sender may be a thief, who must not use
 * up the code. `redeemCode` makes all other checks; for example, it refuses a code that was redeemed before.
 * @returns the claims, if computing them can fail.
 */
async function checkBeforeConsumption(
  { presentation, client }: { readonly presentation: CodePresentation; readonly client: AuthenticatedClient },
  now: EpochSeconds,
  deps: AuthorizationCodeGrantDependencies,
): Promise<TokenClaims | undefined> {
  const hasClaims = claimsMayFail(deps)
  const isBound = presentation.code.startsWith(boundCodePrefix)
  const isNarrowed = presentation.resources.length > 0 || presentation.details !== undefined
  if (!isNarrowed && !hasClaims && !isBound) return undefined
  const code = await deps.storage.codes.find(await digestSecret(presentation.code), client.clientId, now)
  if (code === undefined || !isIntact(code)) return undefined
  provePossessionOf(code, presentation.possession, client)
  const resources = narrowResources(presentation.resources, code, deps.issuer)
  await narrowedDetails(presentation.details, code, { client, types: deps.detailTypes })
  if (!hasClaims || code.redirectUri !== presentation.redirectUri) return undefined
  const target = resolveTarget({ scopes: registeredScopes(code.scopes, client), resources, client }, deps)
  const { claimsRequest } = code
  try {
    const status = await deps.storage.status.ofGrant(code.grantId, code.boundSessionId)
    if (!isGrantActive(status) || status.user.userId !== code.userId) return undefined
    const organization = code.organizationId && (await organizationOfGrant(code, deps.storage))
    return await computeTokenClaims({ ...target, client, user: status.user, claimsRequest, organization }, deps)
  } catch (error) {
    // RFC 6749 §4.1.2: if the code was redeemed before, this is a replay, whatever else fails. `redeemCode` refuses it.
    if ((await deps.storedStatus.ofFamily(code.familyId)) !== undefined) return undefined
    throw error
  }
}

/** @throws OAuthError invalid_grant — reason `code_key_mismatch`; invalid_dpop_proof — reason `dpop_proof_missing`. */
function provePossessionOf(code: AuthorizationCodeRecord, proven: ProvenPossession, client: AuthenticatedClient): void {
  if (code.possession.kind === 'none' || isSameKey(code.possession, proven)) return
  // RFC 9449 §10: the client must prove the key that the authorization request named.
  throw codeRefusal(proven.kind === 'none' ? 'dpop_proof_missing' : 'code_key_mismatch', client, code)
}

/** A code that this request consumed, with proven redirect URI and verifier. Only `redeemCode` creates it. */
export type RedeemedCode = Brand<AuthorizationCodeRecord, 'RedeemedCode' | 'GrantEvidence'>

interface RedeemCodeDependencies {
  readonly storage: OAuthStorage
  readonly lifetimes: RefreshLifetimes
}

/**
 * Redeems a code. The code is consumed before its proofs are checked, so nobody can try a second verifier. A second
 * valid presentation revokes everything issued from the first (RFC 6749 §4.1.2).
 * @throws OAuthError invalid_grant — reason `code_unknown` | `code_incomplete` | `code_replayed` |
 *   `redirect_uri_mismatch`, or a reason of `proveCodeVerifier`.
 */
async function redeemCode(
  { presentation, client }: { readonly presentation: CodePresentation; readonly client: AuthenticatedClient },
  now: EpochSeconds,
  deps: RedeemCodeDependencies,
): Promise<RedeemedCode> {
  const consumed = await deps.storage.codes.consume(await digestSecret(presentation.code), client.clientId, now)
  // RFC 6749 §5.2: the code is unknown, expired, or another client's.
  if (consumed.outcome === 'absent') throw codeRefusal('code_unknown', client, undefined)

  const code = consumed.record
  // Checked again in case a store returns an expired code or one of another client.
  if (code.clientId !== client.clientId || !(now < code.expiresAt)) throw codeRefusal('code_unknown', client, undefined)
  // RFC 6749 §4.1.2: a code is bound to everything it was issued for, so one that lost a field in storage is refused.
  if (!isIntact(code)) throw codeRefusal('code_incomplete', client, code)
  provePossessionOf(code, presentation.possession, client)
  // RFC 6749 §4.1.3: the code is bound to its redirect_uri; otherwise a stolen code could be injected.
  if (code.redirectUri !== presentation.redirectUri) throw codeRefusal('redirect_uri_mismatch_code', client, code)
  const proof = await proveCodeVerifier(presentation.codeVerifier, code, client)

  if (consumed.outcome === 'replayed') {
    await revokeFamilyOf(code, now, deps)
    throw codeRefusal('code_replayed', client, code)
  }
  return brandRedeemedCode(code, proof)
}

/** The parameters of a code redemption (RFC 6749 §4.1.3, RFC 7636 §4.5). */
interface CodePresentation extends Narrowing {
  readonly code: string
  readonly redirectUri: string
  readonly codeVerifier: string | undefined
  readonly possession: ProvenPossession
}

/** @throws OAuthError invalid_request — reason `code_missing` | `redirect_uri_missing`. */
function parseCodePresentation(form: Parameters): Omit<CodePresentation, 'possession'> {
  const code = form.get('code')
  const redirectUri = form.get('redirect_uri')
  // RFC 6749 §4.1.3: code is required.
  if (code === undefined) throw refuse('code_missing')
  // RFC 6749 §4.1.3: redirect_uri is required if the authorization request had one; this server requires one.
  if (redirectUri === undefined) throw refuse('redirect_uri_missing')
  return {
    code,
    redirectUri,
    codeVerifier: form.get('code_verifier'),
    ...parseNarrowing(form),
  }
}

/** The only place that creates a redeemed code; it requires the proof of the verifier. */
const brandRedeemedCode = (code: AuthorizationCodeRecord, _proof: ProvenVerifier): RedeemedCode => code as RedeemedCode

function codeRefusal(
  row: Refusal,
  { clientId }: AuthenticatedClient,
  code: AuthorizationCodeRecord | undefined,
): OAuthError {
  const context = { clientId, userId: code?.userId, familyId: code?.familyId }
  return refuse(row, context)
}

/** Proof that the code verifier matches, or that the client needed no PKCE and the request had no challenge. */
export type ProvenVerifier = Brand<{ readonly method: 'S256' | 'exempt' }, 'ProvenVerifier'>

/**
 * Proves the PKCE code verifier against the code's challenge.
 * @param verifier 43–128 unreserved characters, as received (RFC 7636 §4.1).
 * @returns evidence that redemption requires.
 * @throws OAuthError invalid_grant — reason `code_verifier_missing` | `code_verifier_unexpected` | `code_verifier_mismatch` |
 *   `code_challenge_lost` | `code_challenge_required`.
 */
export async function proveCodeVerifier(
  verifier: string | undefined,
  code: AuthorizationCodeRecord,
  client: ClientRecord,
): Promise<ProvenVerifier> {
  if (code.codeChallengeMethod === 'exempt') return proveExemption(verifier, code, client)
  // A challenge that got lost in storage must not disable PKCE.
  if (code.codeChallengeMethod !== 'S256' || typeof code.codeChallenge !== 'string') throw refuse('code_challenge_lost')
  // RFC 7636 §4.6: the verifier must be present, well-formed, and hash to the challenge.
  if (verifier === undefined) throw refuse('code_verifier_missing')
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) throw refuse('code_verifier_mismatch')
  const challenge = encodeBase64url(await sha256(verifier))
  if (!equalInConstantTime(challenge, code.codeChallenge)) throw refuse('code_verifier_mismatch')
  return { method: 'S256' } as ProvenVerifier
}

function proveExemption(
  verifier: string | undefined,
  code: AuthorizationCodeRecord,
  client: ClientRecord,
): ProvenVerifier {
  // RFC 7636 §4.4: a code with a challenge is not exempt.
  if (code.codeChallenge !== undefined) throw refuse('code_challenge_lost')
  if (needsPkce(client)) throw refuse('code_challenge_required')
  // RFC 9700 §4.8.2: a verifier without a challenge means that the challenge was removed from the request.
  if (verifier !== undefined) throw refuse('code_verifier_unexpected')
  return { method: 'exempt' } as ProvenVerifier
}

/**
 * Whether storage returned a code with all required fields. A store that loses a field, for example because it was
 * written for an older version of this record, would otherwise remove a binding or widen the grant. `nonce`,
 * `claimsRequest`, `acr` and `sessionId` are optional; the challenge is checked with the verifier.
 */
function isIntact(code: AuthorizationCodeRecord): boolean {
  const { digest, grantId, familyId, userId, redirectUri, scopes, resources, authorizationDetails } = code
  const authentication: Partial<AuthorizationCodeRecord['authentication']> | undefined = code.authentication
  const identifiers: readonly unknown[] = [digest, grantId, familyId, userId, redirectUri]
  const lists: readonly unknown[] = [scopes, resources, authorizationDetails, authentication?.amr]
  return (
    identifiers.every(isNonEmptyString) &&
    lists.every(Array.isArray) &&
    isPossession(code.possession) &&
    Number.isSafeInteger(authentication?.authTime)
  )
}

const isNonEmptyString = (value: unknown): boolean => typeof value === 'string' && value !== ''
