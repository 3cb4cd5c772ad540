import type { ClientRecord, EpochSeconds } from '@mintmark/storage-interface'
import type { JWK, JSONWebKeySet } from 'jose'
import { CompactEncrypt } from 'jose/jwe/compact/encrypt'
import { importJWK } from 'jose/key/import'

import { refuse } from '../refusals.ts'
import { readKeySet, type RemoteKeySets } from './remote-key-set.ts'

/**
 * The algorithms that encrypt the content key for a client (RFC 7518 §4.1). RSA1_5 is not among them (RFC 8725 §3.2), and
 * neither are algorithms with shared keys.
 */
export const encryptionAlgorithms = ['RSA-OAEP-256', 'ECDH-ES', 'ECDH-ES+A256KW'] as const

/** The algorithms that encrypt the content (RFC 7518 §5.1). */
export const contentEncryptions = ['A128CBC-HS256', 'A128GCM', 'A256GCM'] as const

/** The rule for the metadata member with the algorithm for the key (OIDC Registration §2). */
export const keyEncryptionRule = (answers: string) =>
  ({
    kind: 'choice',
    description: `the algorithm that encrypts the key of its ${answers}; not encrypted without one`,
    values: encryptionAlgorithms,
    presence: 'clearable',
  }) as const

/** The rule for the metadata member with the algorithm for the content. */
export const contentEncryptionRule = (answers: string) =>
  ({
    kind: 'choice',
    description: `the algorithm that encrypts its ${answers}; default: A128CBC-HS256`,
    values: contentEncryptions,
    presence: 'clearable',
  }) as const

/** A signed JWT for a client, by the kind of answer that it is. */
interface SignedAnswer {
  readonly answer: 'idToken' | 'userinfo' | 'introspection' | 'authorization'
  readonly client: ClientRecord
  readonly now: EpochSeconds
}

/**
 * Encrypts a signed JWT for a client that is registered so (RFC 7519 §5.2, §11.2), with the first key that the client has
 * registered or publishes for the algorithm. The content is not compressed, because its length would depend on its secrets
 * (RFC 8725 §3.6).
 * @returns the JWT itself for a client that wants no such answers encrypted.
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
  // OIDC Core §16.14: the client asked for confidentiality, so it gets no unencrypted answer instead.
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
  const kept = suitableKey(await keySets.read(client.jwksUri, 'kept', now), algorithm)
  // The client may have published a key since its set was read.
  return kept ?? suitableKey(await keySets.read(client.jwksUri, 'refresh', now), algorithm)
}

/** OIDC Core §10.2: a key for signatures never encrypts. RFC 7517 §4.4: a key may be for one algorithm. */
const suitableKey = (keySet: JSONWebKeySet | undefined, algorithm: string): JWK | undefined =>
  keySet?.keys.find(
    (key) => key.use === 'enc' && (key.alg === undefined || key.alg === algorithm) && isOfType(key, algorithm),
  )

/** RFC 7518 §4.3, §4.6, RFC 8037 §3.2. */
const isOfType = ({ kty, crv = '' }: JWK, algorithm: string): boolean =>
  algorithm === 'RSA-OAEP-256'
    ? kty === 'RSA'
    : (kty === 'EC' && ['P-256', 'P-384', 'P-521'].includes(crv)) || (kty === 'OKP' && crv === 'X25519')

/** Only what the key needs, so that `key_ops` and private members of other clients' tools have no effect. */
const publicPart = ({ kty, crv, x, y, n, e }: JWK): JWK =>
  Object.fromEntries(Object.entries({ kty, crv, x, y, n, e }).filter(([, value]) => value !== undefined))
