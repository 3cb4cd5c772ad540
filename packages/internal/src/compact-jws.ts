import { decodeProtectedHeader } from 'jose/decode/protected_header'

/**
 * Whether the string is a compact JWS in its canonical form (RFC 7515 §7.1). Decoders tolerate padding, white space and
 * unused bits, with which one token would have many forms (RFC 7515 §2, RFC 4648 §3.5).
 * @param maxLength in characters.
 */
export const isCompactJws = (text: string, maxLength: number): boolean =>
  text.length <= maxLength && compactJws.test(text)

/** Base64url of at least one byte: groups of four, then an end of two or three characters whose unused bits are zero. */
const part = '(?=[\\w-])(?:[\\w-]{4})*(?:[\\w-][AQgw]|[\\w-]{2}[AEIMQUYcgkosw048])?'

const compactJws = new RegExp(`^${part}\\.${part}\\.${part}$`)

/** The members that the authorization server writes. */
interface PlainHeader {
  readonly alg?: string
  readonly typ?: string
  readonly kid?: string
}

/**
 * Reads the header of a JWS that the authorization server may have signed. It writes only `alg`, `typ` and `kid`; a header with
 * another member, such as `crit` or `jwk`, is not from the authorization server (RFC 7515 §4.1.11, RFC 8725 §3.1).
 * @returns `undefined` for any other header.
 */
export function readPlainHeader(text: string): PlainHeader | undefined {
  try {
    const header = decodeProtectedHeader(text)
    return Object.keys(header).every((name) => ['alg', 'typ', 'kid'].includes(name)) ? header : undefined
  } catch {
    // jose throws for a header that is not a JSON object.
    return undefined
  }
}
