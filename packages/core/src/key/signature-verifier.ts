import { importJWK } from 'jose/key/import'

import { nodeCrypto } from '../runtime/node-crypto.ts'
import { ecdsaToDer } from './ecdsa-signature.ts'
import type { PublicKey, SigningAlgorithm } from './key-ring.ts'
import { signatureParameters } from './web-crypto-signer.ts'

/** Whether the signature over the bytes was made with the key's private half (RFC 7515 §5.2 step 8). */
export type VerifySignature = (signature: Uint8Array, bytes: Uint8Array) => boolean | Promise<boolean>

/** Imports a public key to verify with. That costs more than a signature: keep what this returns. */
export async function signatureVerifier({ algorithm, jwk }: PublicKey): Promise<VerifySignature> {
  const key = await importJWK({ ...jwk }, algorithm, { extractable: true })
  if (key instanceof Uint8Array) throw new TypeError('A published key is symmetric.')
  const digest = nodeDigests.get(algorithm)
  if (nodeCrypto !== undefined && digest !== undefined) {
    const node = nodeCrypto
    const nodeKey = node.KeyObject.from(key)
    return (signature, bytes) => {
      const encoded = algorithm === 'ES256' ? ecdsaToDer(signature) : signature
      return encoded !== undefined && node.verify(digest, bytes, nodeKey, encoded)
    }
  }
  return async (signature, bytes) =>
    crypto.subtle.verify(signatureParameters[algorithm], key, new Uint8Array(signature), new Uint8Array(bytes))
}

/** What Node's module digests with, for the algorithms that it verifies without further parameters. */
const nodeDigests: ReadonlyMap<SigningAlgorithm, 'sha256' | null> = new Map([
  ['RS256', 'sha256'],
  ['ES256', 'sha256'],
  ['EdDSA', null],
])
