import {
  after,
  type Brand,
  type DurationSeconds,
  type EpochSeconds,
  type Storage,
  type TokenFamilyRecord,
} from '@mintmark/storage-interface'

import type { AuthenticatedClient } from '../client/authenticate-client.ts'
import { OAuthError } from '../error/oauth-error.ts'
import type { RefusalReason } from '../error/refusal-reason.ts'
import { randomSecret, type Random } from '../runtime/random.ts'
import type { RefreshLifetimes } from './create-refresh-token.ts'
import {
  digestOf,
  succeedRefreshToken,
  writeRefreshToken,
  type RefreshToken,
  type RefreshTokenDigests,
} from './refresh-token.ts'

/** A family whose refresh token this request rotated, or retried within the window. Only `rotateRefreshToken` makes it. */
export type RotatedFamily = Brand<
  { readonly family: TokenFamilyRecord; readonly refreshToken: string },
  'RotatedFamily' | 'GrantEvidence'
>

export interface RotateRefreshTokenDependencies {
  readonly storage: Storage
  readonly random: Random
  readonly lifetimes: RefreshLifetimes
  /** How long a token that was just rotated gives the same successor again. */
  readonly retryWindow: { readonly confidential: DurationSeconds; readonly public: DurationSeconds }
}

/**
 * Swaps a refresh token for its successor (RFC 9700 §4.14.2). A client that lost the answer, or that asked from two tabs
 * at once, gets the identical successor for a short while; any other token of the family ends the family.
 * @throws OAuthError invalid_grant — reason `refresh_token_unknown` | `refresh_token_reused`.
 */
export async function rotateRefreshToken(
  presentation: {
    readonly presented: RefreshToken
    readonly digests: RefreshTokenDigests
    readonly client: AuthenticatedClient
  },
  now: EpochSeconds,
  deps: RotateRefreshTokenDependencies,
): Promise<RotatedFamily> {
  const { presented, digests, client } = presentation
  const salt = randomSecret(deps.random)
  const successor = await succeedRefreshToken(presented, salt)
  const rotated = await deps.storage.families.rotate({
    handleDigest: digests.handleDigest,
    presentedDigest: digests.tokenDigest,
    clientId: client.clientId,
    successorDigest: await digestOf(successor),
    successorSalt: salt,
    expiresAt: after(now, deps.lifetimes.refreshTokenIdle),
    now,
    retryWindow: client.tokenEndpointAuthMethod === 'none' ? deps.retryWindow.public : deps.retryWindow.confidential,
  })

  if (rotated.outcome === 'absent') throw invalidGrant('refresh_token_unknown', client, undefined)
  // RFC 9700 §4.14.2: one of the two who hold this token stole it, and nobody can tell which.
  if (rotated.outcome === 'reused') throw invalidGrant('refresh_token_reused', client, rotated.record)
  if (rotated.outcome === 'retried') return retried({ presented, client }, rotated.record)
  return { family: rotated.record, refreshToken: await writeRefreshToken(successor) } as RotatedFamily
}

/** The successor that the lost answer carried, made again from the salt that its rotation left. */
async function retried(
  { presented, client }: { readonly presented: RefreshToken; readonly client: AuthenticatedClient },
  family: TokenFamilyRecord,
): Promise<RotatedFamily> {
  const successor = await succeedRefreshToken(presented, family.refresh?.successorSalt ?? '')
  // RFC 6749 §5.2: storage must have kept the salt of this very rotation; a token that opens nothing is not handed out.
  if ((await digestOf(successor)) !== family.refresh?.currentDigest)
    throw invalidGrant('refresh_token_unknown', client, family)
  return { family, refreshToken: await writeRefreshToken(successor) } as RotatedFamily
}

function invalidGrant(
  reason: RefusalReason,
  { clientId }: AuthenticatedClient,
  family: TokenFamilyRecord | undefined,
): OAuthError {
  const context = { clientId, userId: family?.userId, familyId: family?.familyId }
  return new OAuthError('invalid_grant', 'The refresh token is not valid.', { reason, context })
}
