import type { EpochSeconds, Storage } from '@mintmark/storage-interface'

import { verifyAccessToken, type VerifyAccessTokenDependencies } from '../access-token/verified-access-token.ts'
import type { AuthenticatedClient } from '../client/authenticate-client.ts'
import { digestRefreshToken, readRefreshToken } from '../refresh/refresh-token.ts'
import { digestSecret } from '../runtime/digest.ts'

/** What a revocation request ended. */
export type RevocationResult = 'family' | 'access_token' | 'nothing'

export type RevokeDependencies = VerifyAccessTokenDependencies & { readonly storage: Storage }

/**
 * Ends a token of the client's own (RFC 7009 §2.1). A refresh token ends its family, and so all access tokens of it. What
 * is unknown, expired or another client's changes nothing and reads the same (RFC 7009 §2.2).
 */
export async function revokeToken(
  { token, client }: { readonly token: string; readonly client: AuthenticatedClient },
  now: EpochSeconds,
  deps: RevokeDependencies,
): Promise<RevocationResult> {
  const refreshToken = await readRefreshToken(token)
  if (refreshToken !== undefined) {
    const { handleDigest } = await digestRefreshToken(refreshToken)
    const standing = await deps.storage.status.ofRefreshHandle(handleDigest)
    if (standing?.family.clientId !== client.clientId) return 'nothing'
    await deps.storage.families.revoke(standing.family.familyId, now)
    return 'family'
  }

  const accessToken = await verifyAccessToken(token, now, deps)
  if (accessToken?.clientId !== client.clientId) return 'nothing'
  if (accessToken.format === 'opaque') {
    await deps.storage.opaqueTokens.revoke(await digestSecret(token), client.clientId, now)
    return 'access_token'
  }
  const { tokenId, expiresAt } = accessToken
  await deps.storage.revocations.revokeToken({ tokenId, expiresAt, now })
  return 'access_token'
}
