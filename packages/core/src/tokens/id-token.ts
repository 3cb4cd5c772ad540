import { encodeBase64url, type Random, sha256 } from '@mintmark/internal'
import {
  after,
  type ClientRecord,
  type DurationSeconds,
  type EpochSeconds,
  type JsonObject,
  type JsonValue,
  type OAuthStorage,
} from '@mintmark/storage-interface'

import { encryptAnswer } from '../clients/encrypt-answer.ts'
import type { RemoteKeySets } from '../clients/remote-key-set.ts'
import { profileRules, type ProfileSettings } from '../clients/security-profile.ts'
import { idTokenAlgorithm, signJwt } from '../keys/jws.ts'
import type { KeyRing, SigningAlgorithm } from '../keys/ring.ts'
import type { DecisionForUser } from './grant.ts'
import { sidFor, subjectFor } from './pairwise.ts'
import type { IdTokenClaim } from './protocol-claims.ts'

export interface IdTokenDependencies extends ProfileSettings {
  readonly issuer: string
  readonly keys: KeyRing
  readonly storage: OAuthStorage
  readonly random: Random
  readonly keySets: RemoteKeySets
  readonly idTokenLifetime: DurationSeconds
}

/**
 * Mints the ID token (OIDC Core §2). `at_hash` binds it to the access token (OIDC Core §3.1.3.6). Protocol claims come
 * last, so that they override the user's claims. The token is encrypted if the client is registered for encryption.
 * @param minted `released` are the claims about the user that the client receives.
 */
export async function mintIdToken(
  minted: { readonly decision: DecisionForUser; readonly accessToken: string; readonly released: JsonObject },
  now: EpochSeconds,
  deps: IdTokenDependencies,
): Promise<string> {
  const { client, forUser } = minted.decision
  const { user, authentication } = forUser
  const { sessionId } = authentication
  const isPublic = client.subjectType === 'public'
  const algorithm = idTokenAlgorithm(client, deps.keys)
  const claims: Readonly<Record<IdTokenClaim, JsonValue | undefined>> = {
    iss: deps.issuer,
    sub: isPublic ? user.userId : await subjectFor(user.userId, client, deps),
    aud: client.clientId,
    exp: after(now, deps.idTokenLifetime),
    iat: now,
    auth_time: authentication.authTime,
    at_hash: await tokenHash(minted.accessToken, algorithm),
    nonce: forUser.nonce,
    acr: authentication.acr,
    amr: authentication.amr.length > 0 ? authentication.amr : undefined,
    // IPSIE SL1 §3.2.1.
    session_expiry: namesSessionExpiry(client, deps) ? authentication.sessionExpiresAt : undefined,
    // In every ID token: session events and hints at sign-out need it too, not only clients that are registered for logout.
    sid: isPublic || sessionId === undefined ? sessionId : await sidFor(sessionId, client, deps.keys),
  }
  const jwt = await signJwt('JWT', { ...minted.released, ...claims }, await deps.keys.signer(algorithm))
  // OIDC Core §2: signed, then encrypted.
  return client.idTokenEncryptedResponseAlg === undefined
    ? jwt
    : encryptAnswer(jwt, { answer: 'idToken', client, now }, deps.keySets)
}

const namesSessionExpiry = (client: ClientRecord, deps: ProfileSettings): boolean =>
  (client.profile !== 'standard' || deps.minimumProfile !== 'standard') &&
  profileRules(client, deps).requiresAuthenticationContext

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
    case 'Ed25519':
      // RFC 8032 §5.1: Ed25519 hashes with SHA-512.
      return leftHalf(new Uint8Array(await crypto.subtle.digest('SHA-512', new TextEncoder().encode(token))))
    case 'ML-DSA-44':
    case 'ML-DSA-65':
    case 'ML-DSA-87':
      return undefined
    default:
      return algorithm satisfies never
  }
}

const leftHalf = (hash: Uint8Array): string => encodeBase64url(hash.subarray(0, hash.length / 2))
