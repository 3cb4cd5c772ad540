import { decodeBase64url, decodeBody, parseJsonObject, repeatsMember } from '@mintmark/internal'
import { clientId, type ClientRecord, type EpochSeconds, type JsonObject } from '@mintmark/storage-interface'
import type { CompactJWSHeaderParameters, CompactVerifyGetKey, JSONWebKeySet, JWK } from 'jose'
import { compactVerify } from 'jose/jws/compact/verify'
import { createLocalJWKSet } from 'jose/jwks/local'
import { importJWK } from 'jose/key/import'

import { forAlgorithm, withSynonyms } from './usable-keys.ts'
import { readKeySet, type RemoteKeySets } from './remote-key-set.ts'

/** The algorithms that a client may sign with: asymmetric ones only (RFC 8725 §3.1). */
export const clientAlgorithms = ['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519'] as const

/**
 * A JWT that a client has signed. Only the signature is verified: the caller checks the `typ` in the header and all
 * claims.
 */
interface ClientJwt {
  readonly header: CompactJWSHeaderParameters
  readonly claims: JsonObject
}

/**
 * Verifies a JWT with the keys that a client has registered or publishes. Keys in the header are ignored.
 * @returns `undefined` if no key of the client has signed it with one of the algorithms, or its payload is not a JSON
 *   object with unique names.
 * @throws OAuthError like `RemoteKeySets`.
 */
export async function verifyClientJwt(
  jwt: string,
  by: { readonly client: ClientRecord; readonly algorithms: readonly string[]; readonly now: EpochSeconds },
  keySets: RemoteKeySets,
): Promise<ClientJwt | undefined> {
  const { client, algorithms, now } = by
  return verifyWithPublished(jwt, { keys: client, algorithms, now }, keySets)
}

/** Another issuer, whom an administrator trusts. Exactly one of `jwks` and `jwksUri` is set. */
export interface IssuerKeys {
  readonly issuer: string
  readonly jwks: unknown
  readonly jwksUri: string | undefined
}

/**
 * Verifies a JWT in the same way, with the keys of another issuer.
 * @throws OAuthError temporarily_unavailable — reason `client_keys_unavailable`.
 */
export const verifyIssuerJwt = (
  jwt: string,
  { keys: { issuer, ...keys }, now }: { readonly keys: IssuerKeys; readonly now: EpochSeconds },
  keySets: RemoteKeySets,
): Promise<ClientJwt | undefined> => {
  const publisher = { ...keys, clientId: clientId(issuer), origin: 'administrator' as const }
  return verifyWithPublished(jwt, { keys: publisher, algorithms: clientAlgorithms, now }, keySets)
}

async function verifyWithPublished(
  jwt: string,
  by: {
    readonly keys: Pick<ClientRecord, 'clientId' | 'origin' | 'jwksUri'> & { readonly jwks: unknown }
    readonly algorithms: readonly string[]
    readonly now: EpochSeconds
  },
  keySets: RemoteKeySets,
): Promise<ClientJwt | undefined> {
  const { keys, algorithms, now } = by
  if (keys.jwksUri === undefined) return verifyWithKeys(readKeySet(keys.jwks), jwt, algorithms)
  const verified = await verifyWithKeys(await keySets.read(keys, 'cached', now), jwt, algorithms)
  // A new key may have been published since the set was read.
  return verified ?? verifyWithKeys(await keySets.read(keys, 'refresh', now), jwt, algorithms)
}

/**
 * Verifies a JWT in the same way, with these keys. If several keys fit, the header of the JWT must name one by its
 * `kid`. If no key has a `kid`, the one in the header is ignored (RFC 7515 §4.1.4: a hint).
 */
export const verifyWithKeys = (
  keySet: JSONWebKeySet | undefined,
  jwt: string,
  algorithms: readonly string[],
): Promise<ClientJwt | undefined> =>
  keySet === undefined
    ? Promise.resolve(undefined)
    : verifyBy(
        (header, token) =>
          createLocalJWKSet(forAlgorithm(signingKeys(keySet), header.alg))(hintOf(header, keySet), token),
        jwt,
        algorithms,
      )

/** Returns the header without its `kid` if no key has one. */
function hintOf(header: CompactJWSHeaderParameters, { keys }: JSONWebKeySet): CompactJWSHeaderParameters {
  const { kid: _, ...rest } = header
  return keys.some(({ kid }) => kid !== undefined) ? header : rest
}

/** Returns the key set with the `use` that SPIFFE bundles give the keys of JWT-SVIDs (SPIFFE Trust Domain §4.2.2) as `sig`. */
const signingKeys = ({ keys }: JSONWebKeySet): JSONWebKeySet => ({
  keys: keys.map((key) => (key.use === 'jwt-svid' ? { ...key, use: 'sig' } : key)),
})

/** Verifies a JWT in the same way, with this key. Ignores the `kid` in the header of the JWT. */
export const verifyWithKey = (jwk: JWK, jwt: string, algorithms: readonly string[]): Promise<ClientJwt | undefined> =>
  verifyBy(({ alg }) => importJWK(jwk, alg), jwt, algorithms)

async function verifyBy(
  findKey: CompactVerifyGetKey,
  jwt: string,
  algorithms: readonly string[],
): Promise<ClientJwt | undefined> {
  try {
    const { protectedHeader } = await compactVerify(jwt, findKey, { algorithms: [...withSynonyms(algorithms)] })
    // RFC 7515 §4.1: jose checks the members that it uses, and these are not among them.
    if (!isTextIfPresent(protectedHeader.typ) || !isTextIfPresent(protectedHeader.cty)) return undefined
    // RFC 7797 §7: a JWS whose payload is not base64url is not a JWT.
    if (protectedHeader.b64 !== undefined) return undefined
    const text = decodeBody(decodeBase64url(jwt.split('.')[1] ?? '')) ?? ''
    const claims = parseJsonObject(text)
    // RFC 7519 §4: claim names are unique. If one is repeated, another parser could read the other value.
    return claims === undefined || repeatsMember(text) ? undefined : { header: protectedHeader, claims }
  } catch {
    // jose throws on every invalid signature and unsuitable key; the client gets the same response for all of them.
    return undefined
  }
}

/**
 * Whether the JWT is current, and expires within `maxLifetime` seconds (RFC 7523 §3).
 */
export function isShortLived({ exp, iat, nbf }: JsonObject, now: EpochSeconds, maxLifetime: number): boolean {
  if (typeof exp !== 'number' || !(now < exp) || exp > now + maxLifetime) return false
  return [iat, nbf].every((time) => time === undefined || (typeof time === 'number' && time <= now + clockSkew))
}

/** How far a client's clock may be off, in seconds. */
export const clockSkew = 30

/** @param member a member of a header, which its sender may give any type. */
const isTextIfPresent = (member: unknown): boolean => member === undefined || typeof member === 'string'
