import type { AuthorizationCodeRecord, Brand } from '@mintmark/storage-interface'

import { OAuthError } from '../error/oauth-error.ts'
import { encodeBase64url } from '../runtime/base64url.ts'
import { sha256 } from '../runtime/digest.ts'
import { equalInConstantTime } from '../runtime/equal-in-constant-time.ts'

/** Proof that the presenter of a code is who asked for it, or that its client is exempt from PKCE by name. */
export type ProvenVerifier = Brand<{ readonly method: 'S256' | 'exempt' }, 'ProvenVerifier'>

/**
 * Proves the PKCE code verifier against the code's challenge.
 * @param verifier 43–128 unreserved characters, as received (RFC 7636 §4.1).
 * @returns evidence that redemption requires.
 * @throws OAuthError invalid_grant — reason `code_verifier_missing` | `code_verifier_unexpected` | `code_verifier_mismatch` |
 *   `code_challenge_lost` when storage returned a code without the challenge that it was stored with.
 */
export async function proveCodeVerifier(
  verifier: string | undefined,
  code: AuthorizationCodeRecord,
): Promise<ProvenVerifier> {
  if (code.codeChallengeMethod === 'exempt') return proveExemption(verifier, code)
  // A challenge that storage dropped would switch PKCE off without a sound; the code is worthless instead.
  if (code.codeChallengeMethod !== 'S256' || typeof code.codeChallenge !== 'string')
    throw invalidGrant('code_challenge_lost')
  // RFC 7636 §4.6: the verifier must be there, well-formed, and hash to the challenge.
  if (verifier === undefined) throw invalidGrant('code_verifier_missing')
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) throw invalidGrant('code_verifier_mismatch')
  const challenge = encodeBase64url(await sha256(verifier))
  // RFC 7636 §4.6.
  if (!equalInConstantTime(challenge, code.codeChallenge)) throw invalidGrant('code_verifier_mismatch')
  return { method: 'S256' } as ProvenVerifier
}

function proveExemption(verifier: string | undefined, code: AuthorizationCodeRecord): ProvenVerifier {
  if (code.codeChallenge !== undefined) throw invalidGrant('code_challenge_lost')
  // RFC 9700 §4.8.2: a verifier without a challenge means that somebody removed the challenge on the way.
  if (verifier !== undefined) throw invalidGrant('code_verifier_unexpected')
  return { method: 'exempt' } as ProvenVerifier
}

const invalidGrant = (
  reason: 'code_challenge_lost' | 'code_verifier_missing' | 'code_verifier_unexpected' | 'code_verifier_mismatch',
): OAuthError => new OAuthError('invalid_grant', 'The authorization code is not valid.', { reason })
