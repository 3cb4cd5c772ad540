import { base64url } from 'jose'

/** Gives that many unpredictable bytes. */
export type Random = (byteCount: number) => Uint8Array

export const systemRandom: Random = (byteCount) => crypto.getRandomValues(new Uint8Array(byteCount))

/** A secret of 256 random bits, base64url (43 characters): a code, a handle, a cookie, a client secret. */
export const randomSecret = (random: Random): string => base64url.encode(random(32))

/** An identifier of 128 random bits, base64url (22 characters): it opens nothing. */
export const randomIdentifier = (random: Random): string => base64url.encode(random(16))
