import type { SigningAlgorithm } from './key-ring.ts'

/** Whether the name is that of an algorithm which tokens are signed with. */
export const isSigningAlgorithm = (name: string): name is SigningAlgorithm => Object.hasOwn(everywhere, name)

/**
 * Whether this runtime's Web Crypto knows the algorithm. Post-quantum signatures are new: a runtime that has them says so
 * by `SubtleCrypto.supports` (Modern Algorithms in the Web Cryptography API).
 */
export function isRuntimeAlgorithm(algorithm: SigningAlgorithm): boolean {
  if (everywhere[algorithm]) return true
  const subtle = crypto.subtle.constructor as { supports?(operation: string, algorithm: string): boolean }
  return subtle.supports?.('verify', algorithm) === true
}

/** Which algorithms every runtime has that this library runs on. */
const everywhere: Readonly<Record<SigningAlgorithm, boolean>> = {
  RS256: true,
  PS256: true,
  ES256: true,
  EdDSA: true,
  'ML-DSA-65': false,
}
