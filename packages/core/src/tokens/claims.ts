import type { ClientRecord, JsonObject, JsonValue } from '@mintmark/storage-interface'

import { requestedClaimNames, type ClaimsDestination } from '../authorize/claims-request.ts'
import type { ScopeRegistry } from '../authorize/scopes.ts'
import type { ActiveUser } from './status.ts'

/** What a host may look at when it maps claims. */
export interface ClaimsContext {
  readonly subject: string
  /** What storage knows of the person, by claim name. */
  readonly claims: JsonObject
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly destination: ClaimsDestination
}

/** Adds claims to what storage knows, or replaces them. A claim is released only where a granted scope or the `claims` parameter opens it. */
export type MapClaims = (context: ClaimsContext) => JsonObject | Promise<JsonObject>

/** For whom and what claims are released. */
interface ClaimsRelease {
  readonly user: ActiveUser
  readonly client: ClientRecord
  readonly scopes: readonly string[]
  /** The `claims` parameter, as far as the person consented to it. */
  readonly claimsRequest: JsonObject | undefined
  readonly destination: ClaimsDestination
}

export interface ReleaseClaimsDependencies {
  readonly scopes: ScopeRegistry
  readonly mapClaims: MapClaims | undefined
}

/**
 * The claims about a person that a client gets: those that its granted scopes open, and those that it asked for one by
 * one (OIDC Core §5.4, §5.5). Names come from the registry and never from the data, so that no claim slips in because an
 * account happens to carry it; the protocol's own claims are never among them.
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

/** OIDC Core §5.5: asked for one by one, and only while a scope of the client's opens it: a registration may be narrowed. */
function namesAllowedToClient(
  names: readonly string[],
  client: ClientRecord,
  registry: ScopeRegistry,
): readonly string[] {
  const open = new Set(client.scopes.flatMap((scope) => registry.get(scope)?.claims ?? []))
  return names.filter((name) => open.has(name))
}

/** Claims that the protocol makes itself: no account and no host overrides them (RFC 7519 §4.1, OIDC Core §2). */
const protocolClaims: ReadonlySet<string> = new Set([
  'iss',
  'sub',
  'aud',
  'exp',
  'nbf',
  'iat',
  'jti',
  'auth_time',
  'nonce',
  'acr',
  'amr',
  'azp',
  'at_hash',
  'c_hash',
  's_hash',
  'sid',
  'events',
  'cnf',
  'client_id',
  'scope',
])
