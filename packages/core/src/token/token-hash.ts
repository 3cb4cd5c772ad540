import type { SigningAlgorithm } from '../keys/ring.ts'
import { encodeBase64url } from '../runtime/base64url.ts'
import { sha256 } from '../runtime/digest.ts'

/**
 * The value of `at_hash`: the left half of the token's hash, by the hash function of the algorithm that signs the ID token
 * (OIDC Core §3.1.3.6).
 * @returns `undefined` for an algorithm that no hash function is named for: the claim is optional where tokens come from the
 *   token endpoint.
 */
export async function tokenHash(token: string, algorithm: SigningAlgorithm): Promise<string | undefined> {
  switch (algorithm) {
    case 'RS256':
    case 'PS256':
    case 'ES256':
      return leftHalf(await sha256(token))
    case 'EdDSA':
      // RFC 8032 §5.1: Ed25519 hashes with SHA-512.
      return leftHalf(new Uint8Array(await crypto.subtle.digest('SHA-512', new TextEncoder().encode(token))))
    case 'ML-DSA-65':
      return undefined
    default:
      return algorithm satisfies never
  }
}

const leftHalf = (hash: Uint8Array): string => encodeBase64url(hash.subarray(0, hash.length / 2))
