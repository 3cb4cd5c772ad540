import { encodeBase64url, sha256 } from '@mintmark/internal'
import { after, type DurationSeconds, type EpochSeconds, type JsonValue } from '@mintmark/storage-interface'

import { signJwt } from '../keys/jws.ts'
import { idTokenAlgorithm, type KeyRing, type SigningAlgorithm } from '../keys/ring.ts'
import type { DecisionForUser } from '../token/grant.ts'
import { releaseClaims, type ReleaseClaimsDependencies } from './claims.ts'
import type { IdTokenClaim } from './protocol-claims.ts'

export interface IdTokenDependencies extends ReleaseClaimsDependencies {
  readonly issuer: string
  readonly keys: KeyRing
  readonly idTokenLifetime: DurationSeconds
}

/**
 * Mints the ID token (OIDC Core §2). `at_hash` binds it to the access token (OIDC Core §3.1.3.6). Protocol claims come
 * last, so that they override the user's claims.
 */
export async function mintIdToken(
  { decision, accessToken }: { readonly decision: DecisionForUser; readonly accessToken: string },
  now: EpochSeconds,
  deps: IdTokenDependencies,
): Promise<string> {
  const { client, forUser, target } = decision
  const { user, authentication, claimsRequest } = forUser
  const algorithm = idTokenAlgorithm(client, deps.keys)
  const release = { user, client, scopes: target.scopes, claimsRequest, destination: 'id_token' } as const
  const claims: Readonly<Record<IdTokenClaim, JsonValue | undefined>> = {
    iss: deps.issuer,
    sub: user.userId,
    aud: client.clientId,
    exp: after(now, deps.idTokenLifetime),
    iat: now,
    auth_time: authentication.authTime,
    at_hash: await tokenHash(accessToken, algorithm),
    nonce: forUser.nonce,
    acr: authentication.acr,
    amr: authentication.amr.length > 0 ? authentication.amr : undefined,
    sid: authentication.sessionId,
  }
  return signJwt('JWT', { ...(await releaseClaims(release, deps)), ...claims }, await deps.keys.signer(algorithm))
}

/**
 * Computes `at_hash`: the left half of the token's hash, with the hash function of the signature algorithm (OIDC Core
 * §3.1.3.6).
 * @returns `undefined` for an algorithm without a defined hash function; the claim is optional in tokens from the token
 *   endpoint.
 */
async function tokenHash(token: string, algorithm: SigningAlgorithm): Promise<string | undefined> {
  switch (algorithm) {
    case 'RS256':
    case 'PS256':
    case 'ES256':
      return leftHalf(await sha256(token))
    case 'EdDSA':
      // RFC 8032 §5.1: Ed25519 hashes with SHA-512.
      return leftHalf(new Uint8Array(await crypto.subtle.digest('SHA-512', new TextEncoder().encode(token))))
    case 'ML-DSA-65':
      return undefined
    default:
      return algorithm satisfies never
  }
}

const leftHalf = (hash: Uint8Array): string => encodeBase64url(hash.subarray(0, hash.length / 2))
