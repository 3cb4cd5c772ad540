import type { ClientRecord, EpochSeconds, FamilyStatus, Storage } from '@mintmark/storage-interface'

import { isFamilyActive, type Active } from '../tokens/status.ts'
import type { VerifiedAccessToken } from './verified-access-token.ts'

/** What a live access token stands on: the client alone, or the person's family with its grant, client and user. */
export type AccessTokenStatus =
  | { readonly kind: 'service'; readonly client: ClientRecord }
  | { readonly kind: 'person'; readonly standing: Active<FamilyStatus> }

/**
 * Finds what an access token's life depends on: the token itself, its family, grant, client and user.
 * @returns `undefined` when any of them is revoked, disabled, deactivated or gone.
 */
export async function statusOfAccessToken(
  token: VerifiedAccessToken,
  now: EpochSeconds,
  storage: Storage,
): Promise<AccessTokenStatus | undefined> {
  // RFC 7009 §2.1: a token that was revoked by itself. An opaque one would not have been found.
  if (token.format === 'jwt' && (await storage.revocations.isTokenRevoked(token.tokenId, now))) return undefined
  if (token.familyId === undefined) {
    const client = await storage.clients.find(token.clientId)
    return client === undefined || client.disabledAt !== undefined ? undefined : { kind: 'service', client }
  }
  const standing = await storage.status.ofFamily(token.familyId)
  if (!isFamilyActive(standing, now)) return undefined
  const isOwn = standing.client.clientId === token.clientId && standing.user.userId === token.subject
  return isOwn ? { kind: 'person', standing } : undefined
}
