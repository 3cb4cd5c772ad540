/**
 * The signature that a JWS carries, `r || s` with 32 bytes each (RFC 7518 §3.4), of one in DER:
 * SEQUENCE { INTEGER r, INTEGER s } (RFC 3279 §2.2.3).
 */
export function ecdsaFromDer(der: Uint8Array): Uint8Array {
  const joined = new Uint8Array(2 * coordinateLength)
  // Tag and length of the sequence, then tag and length of r; no length of P-256 needs a second byte.
  const rEnd = 4 + (der[3] ?? 0)
  copyEnd(der.subarray(4, rEnd), joined.subarray(0, coordinateLength))
  copyEnd(der.subarray(rEnd + 2), joined.subarray(coordinateLength))
  return joined
}

/** The same signature in DER; `undefined` for one that is not 64 bytes long. */
export function ecdsaToDer(joined: Uint8Array): Uint8Array | undefined {
  if (joined.length !== 2 * coordinateLength) return undefined
  const r = derInteger(joined.subarray(0, coordinateLength))
  const s = derInteger(joined.subarray(coordinateLength))
  const der = new Uint8Array(2 + r.length + s.length)
  der.set([0x30, r.length + s.length])
  der.set(r, 2)
  der.set(s, 2 + r.length)
  return der
}

/** Copies from the ends: DER writes a number without leading zeros, but for one that keeps it positive; the JWS fills it up. */
function copyEnd(source: Uint8Array, target: Uint8Array): void {
  let from = source.length
  for (let to = target.length; to > 0 && from > 0;) target[(to -= 1)] = source[(from -= 1)] ?? 0
}

/** An INTEGER with its tag and length: no leading zero, but one where the first bit would make the number negative. */
function derInteger(coordinate: Uint8Array): Uint8Array {
  const first = coordinate.findIndex((byte) => byte !== 0)
  const digits = coordinate.subarray(first === -1 ? coordinateLength - 1 : first)
  const padding = (digits[0] ?? 0) >= 0x80 ? 1 : 0
  const integer = new Uint8Array(2 + padding + digits.length)
  integer.set([0x02, padding + digits.length])
  integer.set(digits, 2 + padding)
  return integer
}

const coordinateLength = 32
