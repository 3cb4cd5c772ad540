import { secretDigest, type SecretDigest } from '@mintmark/storage-interface'
import { base64url } from 'jose'

/**
 * SHA-256 of a secret, base64url: what a store may keep. Fit for secrets of 256 random bits, which nobody can try out;
 * not for passwords that a person chose.
 */
export async function digestSecret(secret: string): Promise<SecretDigest> {
  return secretDigest(base64url.encode(await sha256(secret)))
}

/** SHA-256 of the text's UTF-8 bytes. */
export const sha256 = (text: string): Promise<Uint8Array> => sha256Bytes(new TextEncoder().encode(text))

/** SHA-256 of the bytes. */
export async function sha256Bytes(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)))
}

/** HMAC-SHA-256 of the message, 32 bytes (RFC 2104). */
export async function hmacSha256(key: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', new Uint8Array(key), algorithm, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, new Uint8Array(message)))
}
