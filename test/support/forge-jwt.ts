import { base64url, type CryptoKey } from 'jose'

/** Signs bytes as a JWS does (RFC 7515 §5.1). */
export type SignBytes = (input: Uint8Array) => Promise<Uint8Array>

/** Writes a compact JWS with any header and payload: strings unchanged, other values as JSON. */
export async function writeJws(header: unknown, payload: unknown, sign: SignBytes): Promise<string> {
  const signingInput = `${part(header)}.${part(payload)}`
  return `${signingInput}.${base64url.encode(await sign(new TextEncoder().encode(signingInput)))}`
}

/** Decodes the header and payload of a token without verifying it. */
export function readJws(token: string): {
  readonly header: Record<string, unknown>
  readonly payload: Record<string, unknown>
} {
  const [header = '', payload = ''] = token.split('.')
  return { header: parse(header), payload: parse(payload) }
}

export const signEs256 =
  (key: CryptoKey): SignBytes =>
  async (input) =>
    new Uint8Array(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, new Uint8Array(input)))

/** Signs with a publicly known secret, such as a public key. */
export const signHs256 =
  (secret: Uint8Array): SignBytes =>
  async (input) => {
    const key = await crypto.subtle.importKey('raw', new Uint8Array(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
      'sign',
    ])
    return new Uint8Array(await crypto.subtle.sign('HMAC', key, new Uint8Array(input)))
  }

/** Returns zero bytes as the signature, by default none. */
export const signNothing =
  (length = 0): SignBytes =>
  () =>
    Promise.resolve(new Uint8Array(length))

/** Returns base64url text that decodes to the same bytes, but whose last character has unused bits that are not zero. */
export function setUnusedBits(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return text.slice(0, -1) + (alphabet[alphabet.indexOf(text.at(-1) ?? '') + 1] ?? '')
}

const part = (value: unknown): string => base64url.encode(typeof value === 'string' ? value : JSON.stringify(value))

const parse = (text: string): Record<string, unknown> =>
  JSON.parse(new TextDecoder().decode(base64url.decode(text))) as Record<string, unknown>
