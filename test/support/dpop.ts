import { createHash } from 'node:crypto'

import { calculateJwkThumbprint, exportJWK, generateKeyPair, type CryptoKey, type JWK } from 'jose'

import { signEs256, writeJws, type SignBytes } from './forge-jwt.ts'
import type { ReachableServer } from './server-under-test.ts'

/** A key that signs DPoP proofs. */
export interface ProofKey {
  readonly privateKey: CryptoKey
  readonly jwk: JWK
  readonly jkt: string
}

export async function createProofKey(): Promise<ProofKey> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(publicKey)
  return { privateKey, jwk, jkt: await calculateJwkThumbprint(jwk) }
}

/** How a proof differs from a valid one for POST /token. A member set to `undefined` is left out. */
export interface ProofChange {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  readonly sign?: SignBytes
}

let proofCount = 0

/** Signs a DPoP proof (RFC 9449 §4.2) for POST /token, valid except for the changes. */
export function writeProof(site: ReachableServer, key: ProofKey, change: ProofChange = {}): Promise<string> {
  proofCount += 1
  const claims = { jti: `proof-${proofCount}`, htm: 'POST', htu: `${site.issuer}/token`, iat: site.clock.now() }
  return writeJws(
    { typ: 'dpop+jwt', alg: 'ES256', jwk: key.jwk, ...change.header },
    { ...claims, ...change.claims },
    change.sign ?? signEs256(key.privateKey),
  )
}

/** Returns the `ath` claim of a proof that is sent with an access token (RFC 9449 §4.2). */
const hashOf = (accessToken: string): string => createHash('sha256').update(accessToken).digest('base64url')

/** Signs a proof for GET /userinfo with an access token. */
export const proofForUserinfo = (
  site: ReachableServer,
  key: ProofKey,
  accessToken: string,
  change: ProofChange = {},
): Promise<string> =>
  writeProof(site, key, {
    ...change,
    claims: { htm: 'GET', htu: `${site.issuer}/userinfo`, ath: hashOf(accessToken), ...change.claims },
  })

/** Signs a proof for a grant management request with an access token. */
export const writeProofForGrant = (
  site: ReachableServer,
  key: ProofKey,
  { token, method, path }: { readonly token: string; readonly method: string; readonly path: string },
): Promise<string> => writeProof(site, key, { claims: { htm: method, htu: site.issuer + path, ath: hashOf(token) } })
