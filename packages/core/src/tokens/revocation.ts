import { type Clock, digestSecret, type Endpoint, noStore } from '@mintmark/internal'
import type { EpochSeconds, OAuthStorage } from '@mintmark/storage-interface'
import type { StatusStore } from '@mintmark/storage-interface/stores'

import {
  authenticateClient,
  type AuthenticatedClient,
  type ClientAuthenticationDependencies,
} from '../clients/authenticate.ts'
import type { Journal } from '../events.ts'
import { readForm, refuseRepeated, requireToken } from '../parameters.ts'
import { verifyAccessToken, type VerifyAccessTokenDependencies } from './access-token.ts'
import { digestRefreshToken, parseRefreshToken } from './refresh-token.ts'

export interface RevocationEndpointDependencies extends ClientAuthenticationDependencies, RevokeDependencies {
  readonly clock: Clock
  readonly journal: Journal
}

/** `POST /token/revocation` (RFC 7009 §2). The response is always the same. */
export const revocationEndpoint =
  (deps: RevocationEndpointDependencies): Endpoint =>
  async (request) => {
    const now = deps.clock()
    const form = refuseRepeated(readForm(request))
    const client = await authenticateClient({ request, form }, now, deps)
    const token = requireToken(form, client)
    const revoked = await revokeToken({ token, client }, now, deps)
    deps.journal.record(request, { type: 'token.revoked', clientId: client.clientId, revoked })
    return { status: 200, headers: noStore, body: undefined }
  }

/** What a revocation request revoked. */
type RevocationResult = 'family' | 'access_token' | 'nothing'

type RevokeDependencies = VerifyAccessTokenDependencies & {
  readonly storage: OAuthStorage
  /**
   * Reads storage without the host's user table: a client can revoke its token even while that table cannot be read.
   */
  readonly storedStatus: StatusStore
}

/**
 * Revokes a token of the client (RFC 7009 §2.1). Revoking a refresh token revokes its family, and so all its access
 * tokens. An unknown or expired token, or one of another client, changes nothing and gets the same response (RFC 7009
 * §2.2).
 */
export async function revokeToken(
  { token, client }: { readonly token: string; readonly client: AuthenticatedClient },
  now: EpochSeconds,
  deps: RevokeDependencies,
): Promise<RevocationResult> {
  const refreshToken = await parseRefreshToken(token)
  if (refreshToken !== undefined) {
    const { handleDigest } = await digestRefreshToken(refreshToken)
    const status = await deps.storedStatus.ofRefreshHandle(handleDigest)
    if (status?.family.clientId !== client.clientId) return 'nothing'
    await deps.storage.families.revoke(status.family.familyId, now)
    return 'family'
  }

  const accessToken = await verifyAccessToken(token, now, deps)
  if (accessToken?.clientId !== client.clientId) return 'nothing'
  const { tokenId, expiresAt } = accessToken
  if (accessToken.format === 'opaque') {
    // Tokens that were exchanged for it, and APIs that read the feed, know it by its identifier.
    await deps.storage.revocations.revokeToken({ tokenId, expiresAt, now })
    await deps.storage.opaqueTokens.revoke(await digestSecret(token), client.clientId, now)
    return 'access_token'
  }
  await deps.storage.revocations.revokeToken({ tokenId, expiresAt, now })
  return 'access_token'
}
