import { encodeBase64url } from './platform/base64url.ts'

/**
 * Gives that many unpredictable bytes.
 * @defaultValue Web Crypto's. Tests bring bytes that they know.
 */
export type Random = (byteCount: number) => Uint8Array

export const systemRandom: Random = (byteCount) => crypto.getRandomValues(new Uint8Array(byteCount))

/** A secret of 256 random bits, base64url (43 characters): a code, a handle, a cookie, a client secret. */
export const randomSecret = (random: Random): string => encodeBase64url(random(32))

/** An identifier of 128 random bits, base64url (22 characters): it opens nothing. */
export const randomIdentifier = (random: Random): string => encodeBase64url(random(16))

/** A secret, and the identifier of what it opens, by one draw: drawing costs more than the bytes that are drawn. */
export function randomSecretAndIdentifier(random: Random): { readonly secret: string; readonly identifier: string } {
  const bytes = random(48)
  return { secret: encodeBase64url(bytes.subarray(0, 32)), identifier: encodeBase64url(bytes.subarray(32)) }
}

/** Identifiers that no other series has and that open nothing: 128 random bits, drawn once, and a number. */
export function identifierSeries(random: Random): () => string {
  const series = randomIdentifier(random)
  let count = 0
  return () => `${series}.${(count += 1)}`
}
