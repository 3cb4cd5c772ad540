import type { ClientRecord, EpochSeconds } from '@mintmark/storage-interface'
import type { JWK, JSONWebKeySet } from 'jose'
import { CompactEncrypt } from 'jose/jwe/compact/encrypt'
import { importJWK } from 'jose/key/import'

import { refuse } from '../refusals.ts'
import { readKeySet, type RemoteKeySets } from './remote-key-set.ts'

/**
 * The algorithms that encrypt the content key for a client (RFC 7518 §4.1). RSA1_5 (RFC 8725 §3.2) and
 * algorithms with shared keys are not accepted.
 */
export const encryptionAlgorithms = ['RSA-OAEP-256', 'ECDH-ES', 'ECDH-ES+A256KW'] as const

/** The algorithms that encrypt the content (RFC 7518 §5.1). */
export const contentEncryptions = ['A128CBC-HS256', 'A128GCM', 'A256GCM'] as const

/** Returns the rule for a metadata member that chooses how the content key is encrypted (OIDC Registration §2). */
export const keyEncryptionRule = (answers: string) =>
  ({
    kind: 'choice',
    setBy: 'client',
    description: `the algorithm that encrypts the key of its ${answers}; without one, they are not encrypted`,
    values: encryptionAlgorithms,
    presence: 'clearable',
  }) as const

/** Returns the rule for a metadata member that chooses how the content is encrypted. */
export const contentEncryptionRule = (answers: string) =>
  ({
    kind: 'choice',
    setBy: 'client',
    description: `the algorithm that encrypts its ${answers}; default: A128CBC-HS256`,
    values: contentEncryptions,
    presence: 'clearable',
  }) as const

/** What a signed JWT is for: the kind of response, and the client that receives it. */
interface SignedAnswer {
  readonly answer: 'idToken' | 'userinfo' | 'introspection' | 'authorization'
  readonly client: ClientRecord
  readonly now: EpochSeconds
}

/**
 * Encrypts a signed JWT if the client is registered for encrypted responses of this kind (RFC 7519 §5.2, §11.2). Uses
 * the first key that the client has registered or publishes for the algorithm. Does not compress the content, because
 * the length of the result would then reveal something about its secrets (RFC 8725 §3.6).
 * @returns the JWT unchanged if the client did not ask for encryption.
 * @throws OAuthError unauthorized_client — reason `encryption_key_missing`.
 */
export async function encryptAnswer(
  jwt: string,
  { answer, client, now }: SignedAnswer,
  keySets: RemoteKeySets,
): Promise<string> {
  const algorithm = client[`${answer}EncryptedResponseAlg`]
  if (algorithm === undefined) return jwt
  // OIDC Registration §2, RFC 9701 §6, JARM §3: the default.
  const contentEncryption = client[`${answer}EncryptedResponseEnc`] ?? 'A128CBC-HS256'
  const jwk = await findKey({ client, algorithm, now }, keySets)
  // OIDC Core §16.14: the client asked for confidentiality, so it never gets an unencrypted response instead.
  if (jwk === undefined) throw refuse('encryption_key_missing', { clientId: client.clientId })
  const header = { alg: algorithm, enc: contentEncryption, cty: 'JWT', ...(jwk.kid !== undefined && { kid: jwk.kid }) }
  try {
    const key = await importJWK(publicPart(jwk), algorithm)
    return await new CompactEncrypt(new TextEncoder().encode(jwt)).setProtectedHeader(header).encrypt(key)
  } catch (cause) {
    // The client published a key that is damaged or too short.
    throw refuse('encryption_key_missing', { clientId: client.clientId }, { cause })
  }
}

/** Whether a set has a key that the algorithm can encrypt with. */
export const hasEncryptionKey = (keySet: JSONWebKeySet | undefined, algorithm: string): boolean =>
  suitableKey(keySet, algorithm) !== undefined

async function findKey(
  { client, algorithm, now }: Pick<SignedAnswer, 'client' | 'now'> & { readonly algorithm: string },
  keySets: RemoteKeySets,
): Promise<JWK | undefined> {
  if (client.jwksUri === undefined) return suitableKey(readKeySet(client.jwks), algorithm)
  const cached = suitableKey(await keySets.read(client, 'cached', now), algorithm)
  // The client may have published a key since its set was read.
  return cached ?? suitableKey(await keySets.read(client, 'refresh', now), algorithm)
}

/** Finds a key that is for encryption (OIDC Core §10.2) and not reserved for another algorithm (RFC 7517 §4.4). */
const suitableKey = (keySet: JSONWebKeySet | undefined, algorithm: string): JWK | undefined =>
  keySet?.keys.find(
    (key) => key.use === 'enc' && (key.alg === undefined || key.alg === algorithm) && isOfType(key, algorithm),
  )

/** Whether the type of the key fits the algorithm (RFC 7518 §4.3, §4.6, RFC 8037 §3.2). */
const isOfType = ({ kty, crv = '' }: JWK, algorithm: string): boolean =>
  algorithm === 'RSA-OAEP-256'
    ? kty === 'RSA'
    : (kty === 'EC' && ['P-256', 'P-384', 'P-521'].includes(crv)) || (kty === 'OKP' && crv === 'X25519')

/**
 * Keeps only the members of the public key, so that `key_ops`, private parts and members that tools add have no effect.
 */
const publicPart = ({ kty, crv, x, y, n, e }: JWK): JWK =>
  Object.fromEntries(Object.entries({ kty, crv, x, y, n, e }).filter(([, value]) => value !== undefined))
