import { clientId, type Brand, type ClientId } from '@mintmark/storage-interface'

import { verifyHint, type VerifyOwnJwtDependencies } from '../keys/verify-jwt.ts'

/** An ID token of this server, of any age. Only `readIdTokenHint` creates it. */
export type IdTokenHint = Brand<
  {
    readonly subject: string
    readonly clientId: ClientId
    /** The session that it was issued in, if the host names sessions. */
    readonly sessionId: string | undefined
  },
  'IdTokenHint'
>

/**
 * Reads an `id_token_hint`, which may have expired (OIDC Core §3.1.2.1, RP-Initiated Logout §2). The hint says which
 * user the client means; it does not sign anybody in.
 * @returns `undefined` unless it is an ID token that this server signed.
 */
export async function readIdTokenHint(hint: string, deps: VerifyOwnJwtDependencies): Promise<IdTokenHint | undefined> {
  const claims = await verifyHint(hint, deps)
  const { sub, aud, sid, exp } = claims ?? {}
  // A signed userinfo response has the same type and audience, but no `exp`, which every ID token has (OIDC Core §2, RFC
  // 8725 §3.12).
  if (typeof sub !== 'string' || typeof aud !== 'string' || !Number.isSafeInteger(exp)) return undefined
  const parsed = { subject: sub, clientId: clientId(aud), sessionId: typeof sid === 'string' ? sid : undefined }
  return parsed as IdTokenHint
}
