import type { JsonValue } from '@mintmark/storage-interface'

import { OAuthError } from '../error/oauth-error.ts'
import { verifyOwnJwt, type VerifyOwnJwtDependencies } from '../keys/jws.ts'

/**
 * Reads the subject that an ID token hint names (OIDC Core §3.1.2.1). A hint that has expired still tells whom the client
 * means; it never signs anybody in.
 * @throws OAuthError invalid_request — reason `id_token_hint_invalid`.
 */
export async function hintedSubject(
  hint: string | undefined,
  deps: VerifyOwnJwtDependencies,
): Promise<string | undefined> {
  if (hint === undefined) return undefined
  const claims = await verifyOwnJwt(hint, 'JWT', deps)
  const subject = claims?.['sub']
  // OIDC Core §3.1.2.1: the hint must be an ID token of this server's. A signed userinfo answer is of the same type and
  // has no `exp`, which every ID token has (OIDC Core §2, RFC 8725 §3.12).
  if (typeof subject !== 'string' || !Number.isSafeInteger(claims?.['exp'])) {
    throw new OAuthError('invalid_request', 'The id_token_hint is not an ID token of this server.', {
      reason: 'id_token_hint_invalid',
    })
  }
  return subject
}

/**
 * The only persons whom a request means: the hint and the `sub` claim with a value each say who it is
 * (OIDC Core §3.1.2.1, §3.1.2.2).
 * @returns `undefined` when anybody will do.
 * @throws OAuthError login_required — reason `nobody_meant`: no sign-in could ever satisfy both.
 */
export function meantSubjects(
  hinted: string | undefined,
  claimed: readonly JsonValue[] | undefined,
): readonly string[] | undefined {
  if (hinted === undefined && claimed === undefined) return undefined
  const named =
    claimed === undefined ? [hinted] : claimed.filter((subject) => hinted === undefined || subject === hinted)
  const meant = named.filter((subject) => typeof subject === 'string')
  // OIDC Core §3.1.2.1: better an error than a sign-in page that takes nobody.
  if (meant.length === 0)
    throw new OAuthError('login_required', 'The request means nobody who could sign in.', { reason: 'nobody_meant' })
  return meant
}
