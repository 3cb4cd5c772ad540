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
