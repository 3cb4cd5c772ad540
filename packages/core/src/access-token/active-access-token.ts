import type { ClientId, EpochSeconds } from '@mintmark/storage-interface'

import { statusOfAccessToken } from './live-access-token.ts'
import { verifyAccessToken, type VerifyAccessTokenDependencies } from './verified-access-token.ts'

/** What an access token allows at the host's own endpoints, as long as it is honoured. */
export interface ActiveAccessToken {
  /** The person, or the client that acts for itself: then it is the `clientId`. */
  readonly subject: string
  readonly clientId: ClientId
  readonly scopes: readonly string[]
  readonly expiresAt: EpochSeconds
}

/**
 * Looks up a token that was presented to this issuer itself: its signature, its audience, and everything that its life
 * depends on.
 * @returns undefined for everything that is not honoured now.
 */
export async function findActiveAccessToken(
  token: string,
  now: EpochSeconds,
  deps: VerifyAccessTokenDependencies,
): Promise<ActiveAccessToken | undefined> {
  const verified = await verifyAccessToken(token, now, deps)
  // RFC 9068 §4: a token that is meant for others alone is not accepted here.
  if (verified === undefined || !verified.audience.includes(deps.issuer)) return undefined
  const standing = await statusOfAccessToken(verified, now, deps.storage)
  if (standing === undefined) return undefined
  const { subject, clientId, scopes, expiresAt } = verified
  return { subject, clientId, scopes, expiresAt }
}
