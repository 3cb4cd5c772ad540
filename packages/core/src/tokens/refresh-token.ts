import {
  after,
  type DurationSeconds,
  type EpochSeconds,
  type RefreshRecord,
  type SecretDigest,
} from '@mintmark/storage-interface'

import { decodeBase64url, encodeBase64url } from '../runtime/base64url.ts'
import { digestSecret, hmacSha256 } from '../runtime/digest.ts'
import { equalInConstantTime } from '../runtime/equal-in-constant-time.ts'
import type { Random } from '../runtime/random.ts'

/**
 * A refresh token in its three parts, written as one base64url string of 107 characters:
 *
 * - `handle`, 32 bytes, the same in all tokens of the family: finds it, and is known only to who had one of its tokens;
 * - `secret`, 32 bytes, new with each rotation: storage knows the token's digest only;
 * - a check of 16 bytes, the secret's HMAC under the handle: tells a token of this family from a damaged or made-up one,
 *   so that a typing error is not taken for the reuse of an old token, which would end the family.
 */
export interface RefreshToken {
  readonly handle: Uint8Array
  readonly secret: Uint8Array
}

/** What storage may know of a refresh token. */
export interface RefreshTokenDigests {
  readonly handleDigest: SecretDigest
  readonly tokenDigest: SecretDigest
}

export async function encodeRefreshToken(token: RefreshToken): Promise<string> {
  const bytes = new Uint8Array(80)
  bytes.set(token.handle)
  bytes.set(token.secret, 32)
  bytes.set(await checksumOf(token), 64)
  return encodeBase64url(bytes)
}

/** Reads a presented token; `undefined` when it is none that this library wrote. */
export async function parseRefreshToken(text: string): Promise<RefreshToken | undefined> {
  // The last character has two spare bits: only the spelling in which they are zero is the token (RFC 4648 §3.5).
  if (!/^[A-Za-z0-9_-]{106}[AEIMQUYcgkosw048]$/.test(text)) return undefined
  const bytes = decodeBase64url(text)

  const token = { handle: bytes.subarray(0, 32), secret: bytes.subarray(32, 64) }
  const isGenuine = equalInConstantTime(encodeBase64url(bytes.subarray(64)), encodeBase64url(await checksumOf(token)))
  return isGenuine ? token : undefined
}

export async function digestRefreshToken(token: RefreshToken): Promise<RefreshTokenDigests> {
  return {
    handleDigest: await digestSecret(token.handle),
    tokenDigest: await digestOf(token),
  }
}

/** The digest that tells the tokens of a family apart. */
export const digestOf = (token: RefreshToken): Promise<SecretDigest> => digestSecret(encodeBase64url(token.secret))

/**
 * The token that follows. It needs the token before and the salt that storage keeps, and neither gives it alone: a client
 * that lost the answer gets the identical successor again, and whoever reads the table gets nothing.
 */
export async function deriveSuccessor(token: RefreshToken, salt: string): Promise<RefreshToken> {
  return { handle: token.handle, secret: await hmacSha256(token.secret, new TextEncoder().encode(`successor ${salt}`)) }
}

const checksumOf = async (token: RefreshToken): Promise<Uint8Array> =>
  (await hmacSha256(token.handle, token.secret)).subarray(0, 16)

export interface RefreshLifetimes {
  /** Sliding: a refresh token that nobody uses for this long is dead. */
  readonly refreshTokenIdle: DurationSeconds
  /** Absolute: no rotation moves it. */
  readonly refreshTokenAbsolute: DurationSeconds
}

/** A family's first refresh token, and what storage keeps of it. */
interface CreatedRefreshToken {
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
    token: await encodeRefreshToken(token),
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
