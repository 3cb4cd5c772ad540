import {
  avoidLeadingSign,
  decodeBase64url,
  digestSecret,
  encodeBase64url,
  equalInConstantTime,
  hmacSha256,
  type Random,
} from '@mintmark/internal'
import { after, type DurationSeconds, type EpochSeconds } from '@mintmark/storage-interface'
import type { RefreshRecord, SecretDigest } from '@mintmark/storage-interface/stores'

/**
 * A refresh token in its three parts, encoded as one base64url string of 107 characters:
 *
 * - `handle`, 32 bytes, the same in all tokens of the family: finds the family, and is known only to holders of its
 *   tokens;
 * - `secret`, 32 bytes, new with each rotation: storage has only a digest of it;
 * - a checksum of 16 bytes, the HMAC of the secret under the handle: distinguishes a token of this family from a
 *   damaged or invented token. Otherwise a typing error would be taken for reuse of an old token and revoke the family.
 */
export interface RefreshToken {
  readonly handle: Uint8Array
  readonly secret: Uint8Array
}

/** The stored digests of a refresh token. */
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

/**
 * Whether a presented token has the form of a refresh token. The last character has two unused bits, which must be zero
 * (RFC 4648 §3.5).
 */
export const isRefreshTokenForm = (text: string): boolean =>
  text.length === 107 && /^[A-Za-z0-9_-]{106}[AEIMQUYcgkosw048]$/.test(text)

/** Parses a presented token; `undefined` unless this library created it. */
export async function parseRefreshToken(text: string): Promise<RefreshToken | undefined> {
  if (!isRefreshTokenForm(text)) return undefined
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

/** Returns the digest that distinguishes the tokens of a family. */
export const digestOf = (token: RefreshToken): SecretDigest | Promise<SecretDigest> =>
  digestSecret(encodeBase64url(token.secret))

/**
 * Derives the successor of a token from the token and the stored salt; neither is enough alone. A client that lost the
 * response gets the identical successor again, while a reader of the database cannot compute it.
 */
export async function deriveSuccessor(token: RefreshToken, salt: string): Promise<RefreshToken> {
  return { handle: token.handle, secret: await hmacSha256(token.secret, new TextEncoder().encode(`successor ${salt}`)) }
}

const checksumOf = async (token: RefreshToken): Promise<Uint8Array> =>
  (await hmacSha256(token.handle, token.secret)).subarray(0, 16)

export interface RefreshLifetimes {
  /** Sliding: a refresh token that is not used for this long expires. */
  readonly refreshTokenIdle: DurationSeconds
  /** Absolute: rotation does not extend it. */
  readonly refreshTokenAbsolute: DurationSeconds
}

/** The first refresh token of a family, and its stored record. */
interface CreatedRefreshToken {
  readonly token: string
  readonly record: RefreshRecord
}

export async function createRefreshToken(
  now: EpochSeconds,
  deps: { readonly random: Random; readonly lifetimes: RefreshLifetimes },
): Promise<CreatedRefreshToken> {
  // One draw for both, because each draw has a fixed cost.
  const bytes = avoidLeadingSign(deps.random(64))
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
      retriedAt: undefined,
      expiresAt: after(now, deps.lifetimes.refreshTokenIdle),
    },
  }
}
