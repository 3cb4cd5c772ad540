import { base64url } from 'jose'

/**
 * Whether the text is a compact JWS of bearable size, spelled the one canonical way: decoders forgive padding, white
 * space and spare bits, and would let one token have many spellings (RFC 7515 §2, RFC 4648 §3.5).
 */
export function isCompactJws(text: string, maxLength: number): boolean {
  if (text.length > maxLength || !/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(text)) return false
  return text.split('.').every((part) => part.length % 4 !== 1 && base64url.encode(base64url.decode(part)) === part)
}
