import { OAuthError } from '../error/oauth-error.ts'
import type { KeyRing } from '../key/key-ring.ts'
import { verifyOwnJwt } from '../key/verify-own-jwt.ts'

/**
 * Reads the subject that an ID token hint names (OIDC Core §3.1.2.1). A hint that has expired still tells whom the client
 * means; it never signs anybody in.
 * @throws OAuthError invalid_request — reason `id_token_hint_invalid`.
 */
export async function hintedSubject(
  hint: string | undefined,
  deps: { readonly issuer: string; readonly keys: KeyRing },
): Promise<string | undefined> {
  if (hint === undefined) return undefined
  const claims = await verifyOwnJwt(hint, 'JWT', deps)
  const subject = claims?.['sub']
  // OIDC Core §3.1.2.1: the hint must be an ID token of this server's.
  if (typeof subject !== 'string') {
    throw new OAuthError('invalid_request', 'The id_token_hint is not an ID token of this server.', { reason: 'id_token_hint_invalid' })
  }
  return subject
}
