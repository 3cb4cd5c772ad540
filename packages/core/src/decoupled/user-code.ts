import { encodeBase64url, hmacSha256, type Random } from '@mintmark/internal'
import { secretDigest, type SecretDigest } from '@mintmark/storage-interface/stores'

import type { KeyRing } from '../keys/ring.ts'

/** RFC 8628 §6.1: letters without vowels, so that a code is never a word, and without characters that look alike. */
const alphabet = 'BCDFGHJKLMNPQRSTVWXZ'
const length = 8
const userCode = /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/

/** Draws a user code: 8 letters, 34 random bits. */
export function drawUserCode(random: Random): string {
  const letters: string[] = []
  while (letters.length < length) {
    // 240 is the largest multiple of 20 in a byte: the remainder of a larger value would prefer some letters.
    const usable = [...random(16)].filter((byte) => byte < 240)
    letters.push(...usable.map((byte) => alphabet.charAt(byte % alphabet.length)))
  }
  return letters.slice(0, length).join('')
}

/** Returns the code as a user reads it: `WDJB-MJHT`. */
export const showUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`

/**
 * Reads what a user entered: case, spaces and punctuation do not matter (RFC 8628 §6.1).
 * @returns `undefined` if it cannot be a code.
 */
export function parseUserCode(entered: string): string | undefined {
  if (entered.length > maxEntered) return undefined
  const letters = entered
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[\s\p{P}]/gu, '')
  return userCode.test(letters) ? letters : undefined
}

/** In characters. Nobody types so many. */
const maxEntered = 64

/**
 * Returns the digests under which a code may be stored, that of the current key first. They need a key, because whoever
 * reads the database could try all codes.
 */
export async function digestUserCode(code: string, keys: KeyRing): Promise<readonly SecretDigest[]> {
  const secrets = await keys.deriveSecrets('user codes')
  return Promise.all(
    secrets.map(async (secret) =>
      secretDigest(encodeBase64url(await hmacSha256(new Uint8Array(secret), new TextEncoder().encode(code)))),
    ),
  )
}
