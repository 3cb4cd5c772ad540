/**
 * Whether the text is a compact JWS of bearable size, spelled the one canonical way: decoders forgive padding, white
 * space and spare bits, and would let one token have many spellings (RFC 7515 §2, RFC 4648 §3.5).
 */
export const isCompactJws = (text: string, maxLength: number): boolean =>
  text.length <= maxLength && compactJws.test(text)

/** Base64url of at least one byte: groups of four characters, and an end of two or three whose spare bits are zero. */
const part = '(?=.)(?:[\\w-]{4})*(?:[\\w-][AQgw]|[\\w-]{2}[AEIMQUYcgkosw048])?'

const compactJws = new RegExp(`^${part}\\.${part}\\.${part}$`)
