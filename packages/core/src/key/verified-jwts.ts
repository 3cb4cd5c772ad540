import type { JsonObject, SecretDigest } from '@mintmark/storage-interface'

import { forgetOldest } from '../runtime/forget-oldest.ts'
import type { PublicKey } from './key-ring.ts'
import { signatureVerifier, type VerifySignature } from './signature-verifier.ts'

/** A JWT of this server's whose signature was good: of which kind it is, which key signed it, and what it says. */
export interface VerifiedJwt {
  readonly type: string
  readonly key: PublicKey
  readonly payload: JsonObject
}

/**
 * What one server remembers of signatures, so that a key is imported once and a JWT that comes again costs a digest. It
 * says nothing about expiry, revocation or standing, nor whether the key is still published.
 */
export interface VerifiedJwts {
  recall(digest: SecretDigest): VerifiedJwt | undefined
  /** Remembers 4,096 of them; what came first is forgotten first. */
  remember(digest: SecretDigest, jwt: VerifiedJwt): void
  verifier(key: PublicKey): Promise<VerifySignature>
}

export function createVerifiedJwts(): VerifiedJwts {
  const byDigest = new Map<SecretDigest, VerifiedJwt>()
  const verifiers = new WeakMap<PublicKey, Promise<VerifySignature>>()

  return {
    recall: (digest) => byDigest.get(digest),
    remember(digest, jwt) {
      byDigest.set(digest, jwt)
      forgetOldest(byDigest, maxJwts)
    },
    verifier(key) {
      const known = verifiers.get(key)
      if (known !== undefined) return known
      const imported = signatureVerifier(key)
      verifiers.set(key, imported)
      return imported
    },
  }
}

/** About a kilobyte each. */
const maxJwts = 4096
