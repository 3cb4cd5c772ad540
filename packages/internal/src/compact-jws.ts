import { decodeBody, parseJsonObject } from './http/message.ts'
import { decodeBase64url } from './runtime.ts'

/**
 * Whether the string is a compact JWS in its canonical form (RFC 7515 §7.1). Decoders tolerate padding, white space and
 * unused bits, with which one token would have many forms (RFC 7515 §2, RFC 4648 §3.5).
 * @param maxLength in characters.
 */
export const isCompactJws = (text: string, maxLength: number): boolean =>
  text.length <= maxLength && threeParts.test(text) && text.split('.').every(isCanonical)

const threeParts = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Whether the last character has no unused bits, or they are zero. */
function isCanonical(part: string): boolean {
  const rest = part.length % 4
  return rest === 0 || (lastCharacters[rest]?.includes(part.slice(-1)) ?? false)
}

/** The possible last characters, by the number of characters after the last group of four. One character is less than a byte. */
const lastCharacters = ['', '', 'AQgw', 'AEIMQUYcgkosw048']

/** The members that the authorization server writes. */
interface PlainHeader {
  readonly alg?: string
  readonly typ?: string
  readonly kid?: string
}

/**
 * Reads the header of a compact JWS that the authorization server may have signed. It writes only `alg`, `typ` and `kid`; a header with
 * another member, such as `crit` or `jwk`, is not from the authorization server (RFC 7515 §4.1.11, RFC 8725 §3.1).
 * @param text in canonical form.
 * @returns `undefined` for any other header.
 */
export function readPlainHeader(text: string): PlainHeader | undefined {
  const header = parseJsonObject(decodeBody(decodeBase64url(text.slice(0, text.indexOf('.')))) ?? '')
  const isPlain =
    header !== undefined &&
    Object.entries(header).every(([name, value]) => plainMembers.includes(name) && typeof value === 'string')
  return isPlain ? header : undefined
}

const plainMembers = ['alg', 'typ', 'kid']
