import type { ClientRecord } from '@mintmark/storage-interface'

import { OAuthError } from '../error/oauth-error.ts'
import type { Parameters } from '../parameters/parameters.ts'

/** The PKCE challenge that the code is bound to, or the named exemption from it. */
export type CodeChallenge =
  { readonly method: 'S256'; readonly challenge: string } | { readonly method: 'exempt'; readonly challenge: undefined }

/** The one method there is: `plain` would put the verifier into the front channel (RFC 9700 §2.1.1). */
export const codeChallengeMethods = ['S256'] as const

/**
 * Reads the PKCE challenge (RFC 7636 §4.3).
 * @param exempted identifiers of confidential clients that may do without.
 * @throws OAuthError invalid_request — reason `code_challenge_missing` | `code_challenge_method` | `code_challenge_malformed`.
 */
export function parseCodeChallenge(
  parameters: Parameters,
  client: ClientRecord,
  exempted: ReadonlySet<string>,
): CodeChallenge {
  const challenge = parameters.get('code_challenge')
  const method = parameters.get('code_challenge_method')
  const isExempt = client.tokenEndpointAuthMethod !== 'none' && exempted.has(client.clientId)
  if (challenge === undefined && method === undefined && isExempt) return { method: 'exempt', challenge: undefined }

  // RFC 9700 §2.1.1: without PKCE a code that leaks, or is slipped into another's browser, can be redeemed.
  if (challenge === undefined) {
    throw new OAuthError('invalid_request', 'PKCE is required: code_challenge is missing.', {
      reason: 'code_challenge_missing',
    })
  }
  // RFC 7636 §4.3: a missing method means plain, and plain is refused.
  if (method !== 'S256') {
    throw new OAuthError('invalid_request', 'PKCE is required with code_challenge_method S256.', {
      reason: 'code_challenge_method',
    })
  }
  // RFC 7636 §4.2: base64url of a SHA-256 hash is 43 characters.
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    throw new OAuthError('invalid_request', 'The code_challenge is not a base64url SHA-256 hash.', {
      reason: 'code_challenge_malformed',
    })
  }
  return { method: 'S256', challenge }
}
