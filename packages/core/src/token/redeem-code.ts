import {
  after,
  type AuthorizationCodeRecord,
  type Brand,
  type EpochSeconds,
  type OAuthStorage,
  type TokenFamilyRecord,
} from '@mintmark/storage-interface'

import type { AuthenticatedClient } from '../clients/authenticate.ts'
import { OAuthError } from '../error/oauth-error.ts'
import type { RefusalReason } from '../error/refusal-reason.ts'
import type { Parameters } from '../parameters/parameters.ts'
import { encodeBase64url } from '../runtime/base64url.ts'
import { digestSecret, sha256 } from '../runtime/digest.ts'
import { equalInConstantTime } from '../runtime/equal-in-constant-time.ts'
import type { RefreshLifetimes } from '../tokens/refresh-token.ts'

/** A code that this request alone has used up, with redirect URI and verifier proven. Only `redeemCode` makes it. */
export type RedeemedCode = Brand<AuthorizationCodeRecord, 'RedeemedCode' | 'GrantEvidence'>

export interface RedeemCodeDependencies {
  readonly storage: OAuthStorage
  readonly lifetimes: RefreshLifetimes
}

/**
 * Redeems a code. It is used up first and proven afterwards: a wrong verifier has burnt it, so nobody can try twice.
 * A second valid presentation ends everything that the first one was given (RFC 6749 §4.1.2).
 * @throws OAuthError invalid_grant — reason `code_unknown` | `code_incomplete` | `code_replayed` | `redirect_uri_mismatch` |
 *   those of `proveCodeVerifier`.
 */
export async function redeemCode(
  { presentation, client }: { readonly presentation: CodePresentation; readonly client: AuthenticatedClient },
  now: EpochSeconds,
  deps: RedeemCodeDependencies,
): Promise<RedeemedCode> {
  const consumed = await deps.storage.codes.consume(await digestSecret(presentation.code), client.clientId, now)
  // RFC 6749 §5.2: unknown, expired, or another client's.
  if (consumed.outcome === 'absent') throw codeRefusal('code_unknown', client, undefined)

  const code = consumed.record
  // A store must not hand one client's code to another, nor an expired one; if it does, the code is unknown all the same.
  if (code.clientId !== client.clientId || !(now < code.expiresAt)) throw codeRefusal('code_unknown', client, undefined)
  // What storage lost of a code is not known to be harmless (RFC 6749 §4.1.2: a code is bound to all that it was issued for).
  if (!isIntact(code)) throw codeRefusal('code_incomplete', client, code)
  // RFC 6749 §4.1.3: the code is bound to this redirect_uri; without the check a code stolen elsewhere works here.
  if (code.redirectUri !== presentation.redirectUri) throw codeRefusal('redirect_uri_mismatch', client, code)
  const proof = await proveCodeVerifier(presentation.codeVerifier, code)

  if (consumed.outcome === 'replayed') {
    await deps.storage.families.insertTombstone(
      familyOf(code, { now, expiresAt: after(now, deps.lifetimes.refreshTokenAbsolute) }),
      now,
    )
    // RFC 6749 §4.1.2.
    throw codeRefusal('code_replayed', client, code)
  }
  return redeemed(code, proof)
}

/** What a client presents to redeem a code (RFC 6749 §4.1.3, RFC 7636 §4.5). */
export interface CodePresentation {
  readonly code: string
  readonly redirectUri: string
  readonly codeVerifier: string | undefined
  /** The resources that the access token is for; empty means all that were granted (RFC 8707 §2.2). */
  readonly resources: readonly string[]
}

/** @throws OAuthError invalid_request — reason `code_missing` | `redirect_uri_missing`. */
export function parseCodePresentation(form: Parameters): CodePresentation {
  const code = form.get('code')
  const redirectUri = form.get('redirect_uri')
  // RFC 6749 §4.1.3: code is required.
  if (code === undefined)
    throw new OAuthError('invalid_request', 'The code parameter is missing.', { reason: 'code_missing' })
  // RFC 6749 §4.1.3: redirect_uri is required when the authorization request had one, and here it always has.
  if (redirectUri === undefined) {
    throw new OAuthError('invalid_request', 'The redirect_uri parameter is missing.', {
      reason: 'redirect_uri_missing',
    })
  }
  return { code, redirectUri, codeVerifier: form.get('code_verifier'), resources: form.all('resource') }
}

/** Nothing else makes a redeemed code; without the proof of its verifier this does not compile. */
const redeemed = (code: AuthorizationCodeRecord, _proof: ProvenVerifier): RedeemedCode => code as RedeemedCode

function codeRefusal(
  reason: RefusalReason,
  { clientId }: AuthenticatedClient,
  code: AuthorizationCodeRecord | undefined,
): OAuthError {
  const context = { clientId, userId: code?.userId, familyId: code?.familyId }
  return new OAuthError('invalid_grant', 'The authorization code is not valid.', { reason, context })
}

/** Proof that the presenter of a code is who asked for it, or that its client is exempt from PKCE by name. */
export type ProvenVerifier = Brand<{ readonly method: 'S256' | 'exempt' }, 'ProvenVerifier'>

/**
 * Proves the PKCE code verifier against the code's challenge.
 * @param verifier 43–128 unreserved characters, as received (RFC 7636 §4.1).
 * @returns evidence that redemption requires.
 * @throws OAuthError invalid_grant — reason `code_verifier_missing` | `code_verifier_unexpected` | `code_verifier_mismatch` |
 *   `code_challenge_lost` when storage returned a code without the challenge that it was stored with.
 */
async function proveCodeVerifier(verifier: string | undefined, code: AuthorizationCodeRecord): Promise<ProvenVerifier> {
  if (code.codeChallengeMethod === 'exempt') return proveExemption(verifier, code)
  // A challenge that storage dropped would switch PKCE off without a sound; the code is worthless instead.
  if (code.codeChallengeMethod !== 'S256' || typeof code.codeChallenge !== 'string')
    throw verifierRefusal('code_challenge_lost')
  // RFC 7636 §4.6: the verifier must be there, well-formed, and hash to the challenge.
  if (verifier === undefined) throw verifierRefusal('code_verifier_missing')
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) throw verifierRefusal('code_verifier_mismatch')
  const challenge = encodeBase64url(await sha256(verifier))
  // RFC 7636 §4.6.
  if (!equalInConstantTime(challenge, code.codeChallenge)) throw verifierRefusal('code_verifier_mismatch')
  return { method: 'S256' } as ProvenVerifier
}

function proveExemption(verifier: string | undefined, code: AuthorizationCodeRecord): ProvenVerifier {
  if (code.codeChallenge !== undefined) throw verifierRefusal('code_challenge_lost')
  // RFC 9700 §4.8.2: a verifier without a challenge means that somebody removed the challenge on the way.
  if (verifier !== undefined) throw verifierRefusal('code_verifier_unexpected')
  return { method: 'exempt' } as ProvenVerifier
}

const verifierRefusal = (
  reason: 'code_challenge_lost' | 'code_verifier_missing' | 'code_verifier_unexpected' | 'code_verifier_mismatch',
): OAuthError => new OAuthError('invalid_grant', 'The authorization code is not valid.', { reason })

/**
 * Whether a code came back from storage with all that every code has. A store that loses a field, such as one that was
 * written for an older record, would otherwise unbind or widen what was granted. `nonce`, `claimsRequest`, `acr` and
 * `sessionId` may be absent in a code; the challenge is looked at where the verifier is proven.
 */
export function isIntact(code: AuthorizationCodeRecord): boolean {
  const { digest, grantId, familyId, userId, redirectUri, scopes, resources } = code
  const authentication: Partial<AuthorizationCodeRecord['authentication']> | undefined = code.authentication
  const texts: readonly unknown[] = [digest, grantId, familyId, userId, redirectUri]
  const lists: readonly unknown[] = [scopes, resources, authentication?.amr]
  return texts.every(isText) && lists.every(Array.isArray) && Number.isSafeInteger(authentication?.authTime)
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

/** The family that a code names, before anything was issued. */
export function familyOf(
  code: AuthorizationCodeRecord,
  { now, expiresAt }: { readonly now: EpochSeconds; readonly expiresAt: EpochSeconds },
): TokenFamilyRecord {
  const { familyId, grantId, clientId, userId, scopes, resources, claimsRequest, authentication } = code
  return {
    familyId,
    grantId,
    clientId,
    userId,
    scopes,
    resources,
    claimsRequest,
    authentication,
    refresh: undefined,
    createdAt: now,
    expiresAt,
    revokedAt: undefined,
  }
}
