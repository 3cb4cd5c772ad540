import { encodeBase64url, sha256 } from '@mintmark/internal'
import {
  after,
  type DurationSeconds,
  type EpochSeconds,
  type JsonValue,
  type ClientRecord,
  type JsonObject,
} from '@mintmark/storage-interface'

import { requestedClaimNames, type ClaimsDestination, type ScopeRegistry } from '../authorize/scopes.ts'
import { idTokenAlgorithm, signJwt } from '../keys/jws.ts'
import type { KeyRing, SigningAlgorithm } from '../keys/ring.ts'
import type { DecisionForUser } from '../token/grant.ts'
import { type IdTokenClaim, protocolClaims } from './protocol-claims.ts'
import type { ActiveUser } from './status.ts'

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

/** The input of `mapClaims`. */
interface ClaimsContext {
  readonly subject: string
  /** The identity provider (IdP) that provisions the user; `undefined` for a user of the host. */
  readonly providerId: string | undefined
  /** The user's stored claims, by name. */
  readonly claims: JsonObject
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly destination: ClaimsDestination
  /** The claims that may be released, by the reason: a granted scope contains them, or the request names them (OIDC Core §5.5). */
  readonly requested: { readonly byScope: readonly string[]; readonly byName: readonly string[] }
}

/**
 * Adds to the stored claims or replaces them. A claim is released only if a granted scope or the `claims` parameter
 * contains it.
 */
export type MapClaims = (context: ClaimsContext) => JsonObject | Promise<JsonObject>

/** Describes to whom claims are released. */
interface ClaimsRelease {
  readonly user: ActiveUser
  readonly client: ClientRecord
  readonly scopes: readonly string[]
  /** The part of the `claims` parameter that the user consented to. */
  readonly claimsRequest: JsonObject | undefined
  readonly destination: ClaimsDestination
}

export interface ReleaseClaimsDependencies {
  readonly scopes: ScopeRegistry
  readonly mapClaims: MapClaims | undefined
}

/**
 * Collects the claims that a client receives about a user: those of its granted scopes, and those it requested
 * individually (OIDC Core §5.4, §5.5). Names come from the scope registry and never from the data, so a claim is not
 * released just because a user has it. Protocol claims are never released.
 */
export async function releaseClaims(release: ClaimsRelease, deps: ReleaseClaimsDependencies): Promise<JsonObject> {
  const requested = releasableNames(release, deps.scopes)
  const known = await knownClaims(release, requested, deps.mapClaims)
  const released: Record<string, JsonValue> = {}
  for (const name of new Set([...requested.byScope, ...requested.byName])) {
    const value = Object.hasOwn(known, name) ? known[name] : undefined
    if (value !== undefined && value !== null && !protocolClaims.has(name)) released[name] = value
  }
  return released
}

async function knownClaims(
  release: ClaimsRelease,
  requested: ClaimsContext['requested'],
  mapClaims: MapClaims | undefined,
): Promise<JsonObject> {
  const { user, client, scopes, destination } = release
  if (mapClaims === undefined) return user.claims
  const mapped = await mapClaims({
    subject: user.userId,
    providerId: user.providerId,
    claims: user.claims,
    clientId: client.clientId,
    scopes,
    destination,
    requested,
  })
  return { ...user.claims, ...mapped }
}

function releasableNames(release: ClaimsRelease, registry: ScopeRegistry): ClaimsContext['requested'] {
  const member = release.destination === 'id_token' ? 'idTokenClaims' : 'claims'
  const byScope = release.scopes.flatMap((scope) => registry.get(scope)?.[member] ?? [])
  const byName = requestedClaimNames(release.claimsRequest, release.destination)
  return { byScope, byName: byName.length === 0 ? byName : namesAllowedToClient(byName, release.client, registry) }
}

/**
 * Individually requested claims are released only while one of the client's registered scopes contains them (OIDC Core
 * §5.5).
 */
function namesAllowedToClient(
  names: readonly string[],
  client: ClientRecord,
  registry: ScopeRegistry,
): readonly string[] {
  const open = new Set(client.scopes.flatMap((scope) => registry.get(scope)?.claims ?? []))
  return names.filter((name) => open.has(name))
}
