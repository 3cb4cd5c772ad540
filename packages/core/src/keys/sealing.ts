import type { Random } from '@mintmark/internal'
import type { Brand } from '@mintmark/storage-interface'
import * as base64url from 'jose/base64url'

/** One sealing key, or a list: the first one seals, and the others only open. */
export type SealingSecrets = string | readonly [current: string, ...previous: readonly string[]]

/** Encrypts values that must be read again, such as private keys, with a key that only the host has. */
export interface SealingKey {
  /** Identifies the key that a value was sealed with; reveals nothing about the key. */
  readonly id: string
  /**
   * AES-256-GCM with `context` as additional authenticated data: a value that was moved to another row does not open.
   */
  seal(plaintext: string, context: string, random: Random): Promise<string>
  /** @throws Error when the key or the context differs, or the value was altered. */
  open(sealed: string, context: string): Promise<string>
}

/** 32 secret bytes. Only `parseSealingKey` creates them. */
export type SealingKeyBytes = Brand<Uint8Array<ArrayBuffer>, 'SealingKeyBytes'>

/**
 * Parses a sealing key: 32 random bytes in base64url, 43 characters.
 * @throws TypeError that says how to create one.
 */
export function parseSealingKey(secret: string): SealingKeyBytes {
  const bytes = decodeBase64url(secret)
  if (bytes?.length !== 32) {
    throw new TypeError(
      'The sealing key must be 32 random bytes in base64url (43 characters). Create it once: node -p "crypto.randomBytes(32).toString(\'base64url\')"',
    )
  }
  return bytes as SealingKeyBytes
}

/** Imports a sealing key. */
export async function importSealingKey(bytes: Uint8Array<ArrayBuffer>): Promise<SealingKey> {
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
    // The decoder throws on invalid base64url, and on an environment variable that is not set.
    return undefined
  }
}

const algorithm = (nonce: Uint8Array<ArrayBuffer>, context: string) => ({
  name: 'AES-GCM',
  iv: nonce,
  additionalData: utf8(context),
})

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** 96 bits, as recommended for GCM (NIST SP 800-38D §5.2.1.1). */
const nonceLength = 12

/** Parses one sealing key, or a list. @throws TypeError at once when a secret is not 32 bytes. */
export const parseSealingSecrets = (secrets: SealingSecrets): readonly SealingKeyBytes[] =>
  (typeof secrets === 'object' ? secrets : [secrets]).map(parseSealingKey)

/**
 * Derives a secret of 32 bytes for one purpose from each sealing key, the current one first (HKDF with SHA-256, RFC
 * 5869). It reveals nothing about the sealing key, nor about the secrets of other purposes and issuers.
 */
export const deriveSecrets = (
  sealingKeys: readonly SealingKeyBytes[],
  purpose: string,
  issuer: string,
): Promise<readonly Uint8Array<ArrayBuffer>[]> =>
  Promise.all(
    sealingKeys.map(async (bytes) => {
      const key = await crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveBits'])
      const info = utf8(`mintmark ${purpose} ${issuer}`)
      const parameters = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }
      return new Uint8Array(await crypto.subtle.deriveBits(parameters, key, 256))
    }),
  )
