import * as base64url from 'jose/base64url'

/**
 * Gives that many unpredictable bytes.
 * @defaultValue Web Crypto's. Tests bring bytes that they know.
 */
export type Random = (byteCount: number) => Uint8Array

export const systemRandom: Random = (byteCount) => crypto.getRandomValues(new Uint8Array(byteCount))

/** 128 random bits, base64url: what an answer must repeat to be the answer to this question. */
export const randomNonce = (random: Random): string => base64url.encode(random(16))
