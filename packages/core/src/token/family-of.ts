import type { AuthorizationCodeRecord, EpochSeconds, TokenFamilyRecord } from '@mintmark/storage-interface'

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
