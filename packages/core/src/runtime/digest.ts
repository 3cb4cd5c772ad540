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
export async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}
