import { base64url } from 'jose'

import type { Random } from '../runtime/random.ts'

/** Seals what must be read again, such as private keys, with a key that only the host holds. */
export interface SealingKey {
  /** Tells which key a value was sealed with; it reveals nothing of the key. */
  readonly id: string
  /** AES-256-GCM. `context` is authenticated with it: a value moved to another row does not open. */
  seal(plaintext: string, context: string, random: Random): Promise<string>
  /** @throws Error when the key or the context is another, or the value was altered. */
  open(sealed: string, context: string): Promise<string>
}

/**
 * Makes a sealing key of 32 secret bytes.
 * @param secret base64url of 32 random bytes (43 characters), from the host's secret store.
 * @throws TypeError when it is not 32 bytes.
 */
export async function importSealingKey(secret: string): Promise<SealingKey> {
  const bytes = decodeSecret(secret)
  const key = await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
  const fingerprint = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))

  return {
    id: base64url.encode(fingerprint.subarray(0, 9)),
    async seal(plaintext, context, random) {
      const nonce = new Uint8Array(random(nonceLength))
      const ciphertext = await crypto.subtle.encrypt(algorithm(nonce, context), key, utf8(plaintext))
      return base64url.encode(new Uint8Array([...nonce, ...new Uint8Array(ciphertext)]))
    },
    async open(sealed, context) {
      const bytes = base64url.decode(sealed)
      const nonce = new Uint8Array(bytes.subarray(0, nonceLength))
      const plaintext = await crypto.subtle.decrypt(algorithm(nonce, context), key, new Uint8Array(bytes.subarray(nonceLength)))
      return new TextDecoder().decode(plaintext)
    },
  }
}

function decodeSecret(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(base64url.decode(secret))
  if (bytes.length !== 32) throw new TypeError('The sealing key must be 32 random bytes in base64url (43 characters).')
  return bytes
}

const algorithm = (nonce: Uint8Array<ArrayBuffer>, context: string) => ({
  name: 'AES-GCM',
  iv: nonce,
  additionalData: utf8(context),
})

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** 96 bits, the size that GCM is made for (NIST SP 800-38D §5.2.1.1). */
const nonceLength = 12
