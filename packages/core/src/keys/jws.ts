import {
  isCompactJws as isJws,
  decodeBase64url,
  decodeBody,
  digestSecret,
  encodeBase64url,
  forgetOldest,
  nodeCrypto,
  parseJsonObject,
} from '@mintmark/internal'
import type { ClientRecord, EpochSeconds, JsonObject, JsonValue } from '@mintmark/storage-interface'
import type { KeyId, SecretDigest } from '@mintmark/storage-interface/stores'
import type { ProtectedHeaderParameters } from 'jose'
import { decodeProtectedHeader } from 'jose/decode/protected_header'
import { importJWK } from 'jose/key/import'

import { refuse } from '../refusals.ts'
import type { KeyRing, PublicKey, Signer, SigningAlgorithm, SigningAlgorithms } from './ring.ts'

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

/** The kinds of JWT that this server also verifies, by their `typ` header. */
type OwnJwtType = 'at+jwt' | 'JWT'

export interface VerifyOwnJwtDependencies {
  readonly issuer: string
  readonly keys: KeyRing
  readonly verifiedJwts: VerifiedJwts
}

/**
 * Verifies a JWT that this server signed: canonical form, a published key, that key's only algorithm, the expected type
 * and this issuer (RFC 8725 §3.1, §3.11). Keys in the token's header or referenced by it are ignored. A signature that
 * has been verified is not computed again while its key is published.
 * @returns the payload, whose other claims the caller checks; `undefined` if any of these checks fails.
 */
export const verifyOwnJwt = async (
  token: string,
  type: OwnJwtType,
  deps: VerifyOwnJwtDependencies,
): Promise<JsonObject | undefined> => verifySignedBy(await deps.keys.publicKeys(), { token, type }, deps)

/**
 * Verifies an ID token that a client sends back as a hint. Its age does not matter, so keys that are published no more
 * verify it too, unless they were dropped in an emergency (RP-Initiated Logout §2, OIDC Core §3.1.2.1).
 */
export const verifyHint = async (token: string, deps: VerifyOwnJwtDependencies): Promise<JsonObject | undefined> =>
  verifySignedBy(await (deps.keys.hintKeys?.() ?? deps.keys.publicKeys()), { token, type: 'JWT' }, deps)

async function verifySignedBy(
  publicKeys: readonly PublicKey[],
  { token, type }: { readonly token: string; readonly type: OwnJwtType },
  deps: VerifyOwnJwtDependencies,
): Promise<JsonObject | undefined> {
  const digest = await digestSecret(token)
  const known = deps.verifiedJwts.recall(digest)
  // A remembered signature counts only while its key is accepted.
  const isTrusted = known !== undefined && publicKeys.includes(known.key)
  const jwt = isTrusted ? known : await verify(token, publicKeys, deps.verifiedJwts)
  if (jwt === undefined) return undefined
  if (!isTrusted) deps.verifiedJwts.remember(digest, jwt)
  // RFC 8725 §3.11: one kind of JWT is never taken for another.
  return jwt.type === type && jwt.payload['iss'] === deps.issuer ? jwt.payload : undefined
}

/**
 * Whether the token has been issued and has not expired at `now`; `exp` and `iat` must be whole numbers (RFC 7519
 * §4.1).
 */
export function isCurrent(payload: JsonObject, now: EpochSeconds): boolean {
  const { exp, iat, nbf } = payload
  if (!Number.isSafeInteger(exp) || !Number.isSafeInteger(iat)) return false
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= now)) return false
  return Number(iat) <= now + clockSkew && now < Number(exp)
}

async function verify(
  token: string,
  publicKeys: readonly PublicKey[],
  verifiedJwts: VerifiedJwts,
): Promise<VerifiedJwt | undefined> {
  const header = isCompactJws(token) ? readHeader(token) : undefined
  const key = publicKeys.find(({ keyId }) => keyId === header?.kid)
  // RFC 8725 §3.1: the key decides the algorithm, not the token.
  if (header?.typ === undefined || key === undefined || key.algorithm !== header.alg) return undefined

  const [head = '', body = '', signature = ''] = token.split('.')
  const verifySignature = await verifiedJwts.verifier(key)
  const isGenuine = await verifySignature(decodeBase64url(signature), new TextEncoder().encode(`${head}.${body}`))
  const payload = isGenuine ? parseJsonObject(decodeBody(decodeBase64url(body)) ?? '') : undefined
  return payload === undefined ? undefined : { type: header.typ, key, payload }
}

/**
 * Reads the header of a JWT that this server may have signed. Our tokens have three header members; a token with any
 * other, such as `crit` or `jwk`, is not ours.
 */
function readHeader(token: string): ProtectedHeaderParameters | undefined {
  try {
    const header = decodeProtectedHeader(token)
    return Object.keys(header).every((name) => ['alg', 'typ', 'kid'].includes(name)) ? header : undefined
  } catch {
    // jose throws on a header that is not a JSON object.
    return undefined
  }
}

/** How far ahead the clock of another server may be, in seconds. */
const clockSkew = 10

/** A JWT of this server with a valid signature. */
interface VerifiedJwt {
  readonly type: string
  readonly key: PublicKey
  readonly payload: JsonObject
}

/**
 * Caches verified signatures and imported keys: a key is imported once, and a JWT that is presented again costs one
 * digest. The cache does not imply that the token is unexpired or active, nor that its key is still published.
 */
interface VerifiedJwts {
  recall(digest: SecretDigest): VerifiedJwt | undefined
  /** Keeps the latest 4,096. */
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
      const imported = importVerifier(key)
      verifiers.set(key, imported)
      return imported
    },
  }
}

/** An entry takes about a kilobyte. */
const maxJwts = 4096

/** Whether the text is a compact JWS of acceptable size. */
export const isCompactJws = (text: string): boolean => isJws(text, maxLength)

/** In characters; well above the size of our tokens. */
const maxLength = 8192

/** The algorithm for a client that chose none: RS256 (OIDC Registration §2), or the first of a ring that lacks it. */
export const defaultAlgorithm = ({ algorithms }: SigningAlgorithms): SigningAlgorithm =>
  algorithms.find((algorithm) => algorithm === 'RS256') ?? algorithms[0]

/**
 * The algorithm that signs a client's ID tokens. A registration contains RS256 also where nothing was chosen, so a ring
 * that lacks RS256 uses its first algorithm; discovery lists it (OIDC Registration §2).
 * @throws OAuthError unauthorized_client — reason `signing_algorithm_unavailable`.
 */
export const idTokenAlgorithm = (client: ClientRecord, keys: SigningAlgorithms): SigningAlgorithm =>
  client.idTokenSignedResponseAlg === 'RS256'
    ? defaultAlgorithm(keys)
    : chosenAlgorithm(client.idTokenSignedResponseAlg, keys)

/**
 * The algorithm that a client chose by name.
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
  if (nodeCrypto === undefined || !privateKey.extractable || (algorithm !== 'ES256' && algorithm !== 'EdDSA'))
    return undefined
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
  'ML-DSA-65': 'ML-DSA-65',
}

type WebCryptoAlgorithm = Parameters<typeof crypto.subtle.verify>[0]

type PrivateKey = Parameters<typeof crypto.subtle.sign>[1]

/** Whether the signature over the bytes was made with the private half of the key (RFC 7515 §5.2 step 8). */
export type VerifySignature = (signature: Uint8Array, bytes: Uint8Array) => boolean | Promise<boolean>

/** Imports a public key for verification. Importing costs more than verifying, so keep the result. */
export async function importVerifier({ algorithm, jwk }: PublicKey): Promise<VerifySignature> {
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

/** The digests of the algorithms that Node's crypto module verifies without further parameters. */
const nodeDigests: ReadonlyMap<SigningAlgorithm, 'sha256' | null> = new Map([
  ['RS256', 'sha256'],
  ['ES256', 'sha256'],
  ['EdDSA', null],
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
