import { after, type DurationSeconds, type EpochSeconds, type RefreshRecord } from '@mintmark/storage-interface'

import type { Random } from '../runtime/random.ts'
import { digestRefreshToken, writeRefreshToken } from './refresh-token.ts'

export interface RefreshLifetimes {
  /** Sliding: a refresh token that nobody uses for this long is dead. */
  readonly refreshTokenIdle: DurationSeconds
  /** Absolute: no rotation moves it. */
  readonly refreshTokenAbsolute: DurationSeconds
}

/** A family's first refresh token, and what storage keeps of it. */
export interface CreatedRefreshToken {
  readonly token: string
  readonly record: RefreshRecord
}

export async function createRefreshToken(
  now: EpochSeconds,
  deps: { readonly random: Random; readonly lifetimes: RefreshLifetimes },
): Promise<CreatedRefreshToken> {
  // One draw for both: drawing costs more than the bytes that are drawn.
  const bytes = deps.random(64)
  const token = { handle: bytes.subarray(0, 32), secret: bytes.subarray(32) }
  const { handleDigest, tokenDigest } = await digestRefreshToken(token)
  return {
    token: await writeRefreshToken(token),
    record: {
      handleDigest,
      currentDigest: tokenDigest,
      previousDigest: undefined,
      successorSalt: undefined,
      rotatedAt: undefined,
      expiresAt: after(now, deps.lifetimes.refreshTokenIdle),
    },
  }
}
