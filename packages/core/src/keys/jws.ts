import { encodeBase64url, nodeCrypto } from '@mintmark/internal'
import type { ClientRecord, JsonValue } from '@mintmark/storage-interface'
import type { KeyId } from '@mintmark/storage-interface/stores'
import { importJWK } from 'jose/key/import'

import { refuse } from '../refusals.ts'
import type { PublicKey, Signer, SigningAlgorithm, SigningAlgorithms } from './ring.ts'

/**
 * Signs claims as a compact JWS (RFC 7515 §3.1).
 * @param type the `typ` header. It prevents one kind of token from being accepted as another (RFC 8725 §3.11).
 * @param claims members that are `undefined` are omitted.
 */
export async function signJwt(
  type: string,
  claims: Readonly<Record<string, JsonValue | undefined>>,
  signer: Signer,
): Promise<string> {
  const header = encodeBase64url(JSON.stringify({ alg: signer.algorithm, typ: type, kid: signer.keyId }))
  const signingInput = `${header}.${encodeBase64url(JSON.stringify(claims))}`
  const signature = await signer.sign(new TextEncoder().encode(signingInput))
  return `${signingInput}.${encodeBase64url(signature)}`
}

/**
 * Returns the algorithm for a client that chose none: RS256 (OIDC Registration §2), or the first if the ring lacks
 * RS256.
 */
export const defaultAlgorithm = ({ algorithms }: SigningAlgorithms): SigningAlgorithm =>
  algorithms.find((algorithm) => algorithm === 'RS256') ?? algorithms[0]

/**
 * Returns the algorithm that signs a client's ID tokens. A registration contains RS256 even if the client chose
 * nothing, so a ring that lacks RS256 uses its first algorithm, which discovery lists (OIDC Registration §2).
 * @throws OAuthError unauthorized_client — reason `signing_algorithm_unavailable`.
 */
export const idTokenAlgorithm = (client: ClientRecord, keys: SigningAlgorithms): SigningAlgorithm =>
  client.idTokenSignedResponseAlg === 'RS256'
    ? defaultAlgorithm(keys)
    : chosenAlgorithm(client.idTokenSignedResponseAlg, keys)

/**
 * Returns the algorithm of the ring that a client chose by name.
 * @throws OAuthError unauthorized_client — reason `signing_algorithm_unavailable`.
 */
export function chosenAlgorithm(name: string, keys: SigningAlgorithms): SigningAlgorithm {
  const algorithm = keys.algorithms.find((own) => own === name)
  // OIDC Registration §2: the algorithm is required for this client, so another one would be a forgery to it.
  if (algorithm === undefined) throw refuse('signing_algorithm_unavailable')
  return algorithm
}

/**
 * Creates a signer for a private key that this process holds. Where the runtime has Node's crypto module, an
 * extractable elliptic-curve key signs there synchronously, because the signature takes less time than dispatching it
 * to the thread pool. An RSA signature takes long enough to use the thread pool.
 */
export function createSigner(keyId: KeyId, algorithm: SigningAlgorithm, privateKey: PrivateKey): Signer {
  return { keyId, algorithm, sign: signSynchronously(algorithm, privateKey) ?? signOnThreadPool(algorithm, privateKey) }
}

function signSynchronously(algorithm: SigningAlgorithm, privateKey: PrivateKey): Signer['sign'] | undefined {
  const isFast = algorithm === 'ES256' || algorithm === 'EdDSA' || algorithm === 'Ed25519'
  if (nodeCrypto === undefined || !privateKey.extractable || !isFast) return undefined
  const node = nodeCrypto
  const key = node.KeyObject.from(privateKey)
  return algorithm === 'ES256'
    ? async (bytes) => ecdsaFromDer(node.sign('sha256', bytes, key))
    : async (bytes) => node.sign(null, bytes, key)
}

const signOnThreadPool =
  (algorithm: SigningAlgorithm, privateKey: PrivateKey): Signer['sign'] =>
  async (bytes) =>
    new Uint8Array(await crypto.subtle.sign(signatureParameters[algorithm], privateKey, new Uint8Array(bytes)))

/** The algorithms as Web Crypto names them (RFC 7518 §3.1, RFC 8037 §3.1). */
export const signatureParameters: Readonly<Record<SigningAlgorithm, WebCryptoAlgorithm>> = {
  RS256: 'RSASSA-PKCS1-v1_5',
  // RFC 7518 §3.5: the salt is as long as the hash.
  PS256: { name: 'RSA-PSS', saltLength: 32 },
  ES256: { name: 'ECDSA', hash: 'SHA-256' },
  EdDSA: 'Ed25519',
  Ed25519: 'Ed25519',
  'ML-DSA-44': 'ML-DSA-44',
  'ML-DSA-65': 'ML-DSA-65',
  'ML-DSA-87': 'ML-DSA-87',
}

type WebCryptoAlgorithm = Parameters<typeof crypto.subtle.verify>[0]

type PrivateKey = Parameters<typeof crypto.subtle.sign>[1]

/** Whether the signature over the bytes was made with the private half of the key (RFC 7515 §5.2 step 8). */
export type VerifySignature = (signature: Uint8Array, bytes: Uint8Array) => boolean | Promise<boolean>

/** Imports a public key for verification. Importing costs more than verifying, so keep the result. */
export async function importVerifier({
  algorithm,
  jwk,
}: Pick<PublicKey, 'algorithm' | 'jwk'>): Promise<VerifySignature> {
  const key = await importJWK({ ...jwk }, algorithm, { extractable: true })
  if (key instanceof Uint8Array) throw new TypeError('A published key must not be symmetric.')
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

/** The digests of the algorithms that Node's crypto module verifies without further parameters. */
const nodeDigests: ReadonlyMap<SigningAlgorithm, 'sha256' | null> = new Map([
  ['RS256', 'sha256'],
  ['ES256', 'sha256'],
  ['EdDSA', null],
  ['Ed25519', null],
])

/**
 * Converts an ECDSA signature from DER, SEQUENCE { INTEGER r, INTEGER s } (RFC 3279 §2.2.3), to the form that a JWS
 * uses, `r || s` with 32 bytes each (RFC 7518 §3.4).
 */
export function ecdsaFromDer(der: Uint8Array): Uint8Array {
  const joined = new Uint8Array(2 * coordinateLength)
  // Tag and length of the sequence, then tag and length of r; no length of P-256 needs a second byte.
  const rEnd = 4 + (der[3] ?? 0)
  copyEnd(der.subarray(4, rEnd), joined.subarray(0, coordinateLength))
  copyEnd(der.subarray(rEnd + 2), joined.subarray(coordinateLength))
  return joined
}

/** Converts a signature from `r || s` to DER. Returns `undefined` unless it is 64 bytes long. */
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

/**
 * Copies right-aligned. DER omits leading zeros, except one that keeps the number positive; JWS pads to the full
 * length.
 */
function copyEnd(source: Uint8Array, target: Uint8Array): void {
  let from = source.length
  for (let to = target.length; to > 0 && from > 0;) target[(to -= 1)] = source[(from -= 1)] ?? 0
}

/**
 * Encodes an INTEGER with tag and length: without leading zeros, except one where the first bit would make the number
 * negative.
 */
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
