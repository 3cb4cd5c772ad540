/**
 * The signature that a JWS carries, `r || s` with 32 bytes each (RFC 7518 §3.4), of one that came in DER:
 * SEQUENCE { INTEGER r, INTEGER s } (RFC 3279 §2.2.3).
 */
export function joinEcdsaSignature(der: Uint8Array): Uint8Array {
  const joined = new Uint8Array(2 * coordinateLength)
  // Tag and length of the sequence, then tag and length of r; no length of P-256 needs a second byte.
  const rEnd = 4 + (der[3] ?? 0)
  writeInteger(der, { from: 4, to: rEnd }, joined.subarray(0, coordinateLength))
  writeInteger(der, { from: rEnd + 2, to: der.length }, joined.subarray(coordinateLength))
  return joined
}

/** DER writes a number without leading zeros, but for one that keeps it positive; the JWS fills it up to its length. */
function writeInteger(der: Uint8Array, digits: { readonly from: number; readonly to: number }, target: Uint8Array): void {
  let to = target.length
  for (let at = digits.to - 1; at >= digits.from && to > 0; at -= 1) target[(to -= 1)] = der[at] ?? 0
}

const coordinateLength = 32
