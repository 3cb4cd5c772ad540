import type { KeyId } from '@mintmark/storage-interface'

import { nodeCrypto } from '../runtime/node-crypto.ts'
import { ecdsaFromDer } from './ecdsa-signature.ts'
import type { Signer, SigningAlgorithm } from './key-ring.ts'

/**
 * A signer over a private key that this process holds. Where the runtime has Node's crypto module, an extractable
 * elliptic-curve key signs there, at once: the signature itself takes less than the way to the thread pool. RSA takes long
 * enough to be worth the way.
 */
export function webCryptoSigner(keyId: KeyId, algorithm: SigningAlgorithm, privateKey: CryptoKey): Signer {
  return { keyId, algorithm, sign: signAtOnce(algorithm, privateKey) ?? signOnThread(algorithm, privateKey) }
}

function signAtOnce(algorithm: SigningAlgorithm, privateKey: CryptoKey): Signer['sign'] | undefined {
  if (nodeCrypto === undefined || !privateKey.extractable || (algorithm !== 'ES256' && algorithm !== 'EdDSA'))
    return undefined
  const node = nodeCrypto
  const key = node.KeyObject.from(privateKey)
  return algorithm === 'ES256'
    ? async (bytes) => ecdsaFromDer(node.sign('sha256', bytes, key))
    : async (bytes) => node.sign(null, bytes, key)
}

const signOnThread =
  (algorithm: SigningAlgorithm, privateKey: CryptoKey): Signer['sign'] =>
  async (bytes) =>
    new Uint8Array(await crypto.subtle.sign(signatureParameters[algorithm], privateKey, new Uint8Array(bytes)))

/** The algorithms in the words of Web Crypto (RFC 7518 §3.1, RFC 8037 §3.1). */
export const signatureParameters: Readonly<Record<SigningAlgorithm, AlgorithmIdentifier | EcdsaParams | RsaPssParams>> =
  {
    RS256: 'RSASSA-PKCS1-v1_5',
    // RFC 7518 §3.5: the salt is as long as the hash.
    PS256: { name: 'RSA-PSS', saltLength: 32 },
    ES256: { name: 'ECDSA', hash: 'SHA-256' },
    EdDSA: 'Ed25519',
    'ML-DSA-65': 'ML-DSA-65',
  }
