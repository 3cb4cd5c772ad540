import type { ClientRecord, JsonObject, JsonValue } from '@mintmark/storage-interface'

import { requestedClaimNames, type ClaimsDestination } from '../authorize/claims-request.ts'
import type { ScopeRegistry } from '../authorize/scopes.ts'
import { protocolClaims } from './protocol-claims.ts'
import type { ActiveUser } from './status.ts'

/** The input of `mapClaims`. */
interface ClaimsContext {
  readonly subject: string
  /** The user's stored claims, by name. */
  readonly claims: JsonObject
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly destination: ClaimsDestination
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
  const known = await knownClaims(release, deps.mapClaims)
  const released: Record<string, JsonValue> = {}
  for (const name of releasableNames(release, deps.scopes)) {
    const value = Object.hasOwn(known, name) ? known[name] : undefined
    if (value !== undefined && value !== null && !protocolClaims.has(name)) released[name] = value
  }
  return released
}

async function knownClaims(release: ClaimsRelease, mapClaims: MapClaims | undefined): Promise<JsonObject> {
  const { user, client, scopes, destination } = release
  if (mapClaims === undefined) return user.claims
  const mapped = await mapClaims({
    subject: user.userId,
    claims: user.claims,
    clientId: client.clientId,
    scopes,
    destination,
  })
  return { ...user.claims, ...mapped }
}

function releasableNames(release: ClaimsRelease, registry: ScopeRegistry): ReadonlySet<string> {
  const member = release.destination === 'id_token' ? 'idTokenClaims' : 'claims'
  const byScope = release.scopes.flatMap((scope) => registry.get(scope)?.[member] ?? [])
  const byName = requestedClaimNames(release.claimsRequest, release.destination)
  return new Set(
    byName.length === 0 ? byScope : [...byScope, ...namesAllowedToClient(byName, release.client, registry)],
  )
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
