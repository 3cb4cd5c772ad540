import type { AuthorizationCodeRecord } from '@mintmark/storage-interface'

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
