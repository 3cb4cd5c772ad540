/**
 * The signature that a JWS carries, `r || s` with 32 bytes each (RFC 7518 §3.4), of one that came in DER:
 * SEQUENCE { INTEGER r, INTEGER s } (RFC 3279 §2.2.3).
 */
export function joinEcdsaSignature(der: Uint8Array): Uint8Array {
  const joined = new Uint8Array(2 * coordinateLength)
  // Tag and length of the sequence, then tag and length of r; no length of P-256 needs a second byte.
  const rEnd = 4 + (der[3] ?? 0)
  writeInteger(der.subarray(4, rEnd), joined.subarray(0, coordinateLength))
  writeInteger(der.subarray(rEnd + 2), joined.subarray(coordinateLength))
  return joined
}

/** DER writes a number without leading zeros, but for one that keeps it positive; the JWS fills it up to its length. */
function writeInteger(number: Uint8Array, target: Uint8Array): void {
  const digits = number.subarray(Math.max(0, number.length - target.length))
  target.set(digits, target.length - digits.length)
}

const coordinateLength = 32
