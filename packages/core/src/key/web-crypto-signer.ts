import type { KeyId } from '@mintmark/storage-interface'

import type { Signer, SigningAlgorithm } from './key-ring.ts'

/** A signer over a private key that Web Crypto holds; the key was imported once and is not exported. */
export function webCryptoSigner(keyId: KeyId, algorithm: SigningAlgorithm, privateKey: CryptoKey): Signer {
  return {
    keyId,
    algorithm,
    sign: async (bytes) =>
      new Uint8Array(await crypto.subtle.sign(signatureParameters[algorithm], privateKey, new Uint8Array(bytes))),
  }
}

const signatureParameters: Readonly<Record<SigningAlgorithm, AlgorithmIdentifier | EcdsaParams>> = {
  RS256: 'RSASSA-PKCS1-v1_5',
  ES256: { name: 'ECDSA', hash: 'SHA-256' },
}
