import type { Brand } from '@mintmark/storage-interface'
import * as base64url from 'jose/base64url'

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

/** 32 secret bytes. Only `parseSealingKey` makes it. */
export type SealingKeyBytes = Brand<Uint8Array<ArrayBuffer>, 'SealingKeyBytes'>

/**
 * Reads a sealing key as a host's secret store has it: 32 random bytes in base64url, 43 characters.
 * @throws TypeError that says how to make one.
 */
export function parseSealingKey(secret: string): SealingKeyBytes {
  const bytes = decodeBase64url(secret)
  if (bytes?.length !== 32) {
    throw new TypeError(
      'The sealing key must be 32 random bytes in base64url (43 characters). Make one, once: node -p "crypto.randomBytes(32).toString(\'base64url\')"',
    )
  }
  return bytes as SealingKeyBytes
}

/** Makes a sealing key of its bytes. */
export async function importSealingKey(bytes: SealingKeyBytes): Promise<SealingKey> {
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
      const plaintext = await crypto.subtle.decrypt(
        algorithm(nonce, context),
        key,
        new Uint8Array(bytes.subarray(nonceLength)),
      )
      return new TextDecoder().decode(plaintext)
    },
  }
}

function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return new Uint8Array(base64url.decode(text))
  } catch {
    // The decoder throws on what is no base64url, and on a variable of the environment that is not set.
    return undefined
  }
}

const algorithm = (nonce: Uint8Array<ArrayBuffer>, context: string) => ({
  name: 'AES-GCM',
  iv: nonce,
  additionalData: utf8(context),
})

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** 96 bits, the size that GCM is made for (NIST SP 800-38D §5.2.1.1). */
const nonceLength = 12
