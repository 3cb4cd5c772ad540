// Over 250 lines: the claims of all destinations, because the same rules say which claims the host may set and release.
import {
  type ClientRecord,
  type JsonObject,
  type JsonValue,
  type OAuthStorage,
  StorageUnavailableError,
} from '@mintmark/storage-interface'

import { claimsOfScope, requestedClaimNames, type ScopeRegistry } from '../permissions/scopes.ts'
import { OAuthError, refuse } from '../refusals.ts'
import { type ApiClaimSettings, type ApiClaimSource, limitClaims, readApiClaims } from './api-claims.ts'
import { organizationClaimNames, type TokenOrganization } from '../permissions/organization.ts'
import { accessTokenClaimNames, introspectionClaimNames, protocolClaims } from './protocol-claims.ts'
import type { ActiveUser } from '../permissions/status.ts'

/** Where claims go. */
type ClaimsDestination = 'id_token' | 'userinfo' | 'access_token' | 'introspection'

/** Claims for each destination. */
type ClaimsByDestination = { readonly [Destination in ClaimsDestination]?: JsonObject }

/** The claims that a client may receive: a granted scope contains them, or the request names them (OIDC Core §5.5). */
interface ReleasableNames {
  readonly byScope: readonly string[]
  readonly byName: readonly string[]
}

/** What the option `claims` receives. */
interface ClaimsContext {
  /**
   * The destinations that are computed now: `access_token`, with `id_token` if there is one, for each token response;
   * `userinfo` or `introspection` for each request to those endpoints.
   */
  readonly destinations: readonly ClaimsDestination[]
  /** The `sub`: the user, or the client for its own token. */
  readonly subject: string
  /** `undefined` for a client's own token. */
  readonly user:
    | {
        /** The identity provider (IdP) that provisions the user; `undefined` for a user of the host. */
        readonly providerId: string | undefined
        /** The user's stored claims, by name. */
        readonly claims: JsonObject
      }
    | undefined
  readonly clientId: string
  /** The scope values of the access token. */
  readonly scopes: readonly string[]
  /** The `aud` of the access token: its resources (RFC 8707). */
  readonly audience: readonly string[]
  /**
   * The organization that the token is for, and the user's roles in it; always `undefined` at userinfo and
   * introspection.
   */
  readonly organization: { readonly id: string; readonly name: string; readonly roles: readonly string[] } | undefined
  /** The claims that the ID token and userinfo may release. */
  readonly requested: { readonly id_token: ReleasableNames; readonly userinfo: ReleasableNames }
}

/**
 * Returns claims for the destinations. In `id_token` and `userinfo` they add to the stored claims or replace them, and
 * a claim is released only if a granted scope or the `claims` parameter contains it. In `access_token` and
 * `introspection` they are released as returned. A claim that the protocol sets must not be among them.
 */
export type MapClaims = (context: ClaimsContext) => ClaimsByDestination | Promise<ClaimsByDestination>

export interface ClaimsDependencies {
  readonly scopes: ScopeRegistry
  readonly mapClaims: MapClaims | undefined
  readonly apiClaims: ApiClaimSettings
  /** Whether users are read from the host's table, which can fail to answer. */
  readonly readsHostUsers: boolean
  readonly storage: OAuthStorage
  readonly reportUnreleased: (unreleased: UnreleasedClaims) => void
}

/** Claims that the host returned for a client, and that no scope of the client and no request covers. */
export interface UnreleasedClaims {
  readonly clientId: string
  readonly destination: 'id_token' | 'userinfo'
  readonly names: readonly string[]
}

/** Whose claims are released, and to whom. */
interface ClaimsSubject {
  /** `undefined` for a client's own token. */
  readonly user: ActiveUser | undefined
  readonly client: Pick<ClientRecord, 'clientId' | 'scopes'>
  readonly scopes: readonly string[]
  readonly audience: readonly string[]
  /** The organization that the tokens are for; `undefined` for none. */
  readonly organization: TokenOrganization | undefined
  /** The part of the `claims` parameter that the user consented to. */
  readonly claimsRequest: JsonObject | undefined
}

/** The claims of the tokens of one response, without the claims that the protocol sets. */
export interface TokenClaims {
  readonly accessToken: JsonObject
  readonly idToken: JsonObject
  /** The claims that the access token or the ID token lacks because they exceed a limit. */
  readonly omitted: readonly string[]
}

/**
 * Computes the claims of a token response. Grants call it before they consume anything, so that a client can try again.
 * @throws OAuthError server_error — reason `claims_failed`; invalid_scope — reason `claims_too_large`.
 */
export async function computeTokenClaims(subject: ClaimsSubject, deps: ClaimsDependencies): Promise<TokenClaims> {
  const { user, scopes } = subject
  const destinations = user !== undefined && scopes.includes('openid') ? withIdToken : accessTokenOnly
  const mapped = await mapClaims(subject, destinations, deps)
  const { claims: idToken, omitted } =
    destinations === withIdToken
      ? await releasedClaims(subject, { destination: 'id_token', mapped }, deps)
      : nothingReleased
  const sources = user === undefined ? [] : sourcesOf(subject, deps.apiClaims)
  const mappedClaims = mapped.access_token ?? noClaims
  const organizationNames = organizationClaims(subject)
  if (sources.length === 0 && mappedClaims === noClaims)
    return { accessToken: organizationNames, idToken: { ...idToken, ...organizationNames }, omitted }
  const accessToken = await limitedClaims(subject, { sources, mapped: mappedClaims }, deps)
  return {
    omitted: [...omitted, ...accessToken.omitted],
    accessToken: { ...accessToken.claims, ...organizationNames },
    idToken: { ...idToken, ...organizationNames },
  }
}

/**
 * Reads the configured claims about the user, adds the claims that the host returned, and applies the limits.
 * @throws OAuthError invalid_scope — reason `claims_too_large`.
 */
async function limitedClaims(
  subject: ClaimsSubject,
  { sources, mapped }: { readonly sources: readonly ApiClaimSource[]; readonly mapped: JsonObject },
  { storage, apiClaims }: ClaimsDependencies,
): Promise<LimitedClaims> {
  const { user, client } = subject
  const configured =
    user === undefined || sources.length === 0 ? noClaims : await readApiClaims({ ...subject, user }, sources, storage)
  const limited = limitClaims({ configured, mapped }, apiClaims.limits)
  if (limited === undefined) throw refuse('claims_too_large', { clientId: client.clientId, userId: user?.userId })
  return limited
}

interface LimitedClaims {
  readonly claims: JsonObject
  readonly omitted: readonly string[]
}

/** Whether claims depend on anything besides the stored user: the host's table or function, a directory, or a limit. */
export const claimsMayFail = ({ mapClaims, apiClaims, readsHostUsers }: ClaimsDependencies): boolean =>
  readsHostUsers ||
  mapClaims !== undefined ||
  apiClaims.byResource.size + apiClaims.byScope.size + apiClaims.identityByScope.size > 0

const withIdToken: readonly ClaimsDestination[] = ['access_token', 'id_token']
const accessTokenOnly: readonly ClaimsDestination[] = ['access_token']
const noClaims: Readonly<Record<string, never>> = Object.freeze({})
const nothingReleased: LimitedClaims = { claims: noClaims, omitted: [] }

/**
 * Returns the claims that name the organization. Access and ID tokens contain them, and the host cannot override them.
 */
const organizationClaims = ({ organization }: ClaimsSubject): JsonObject =>
  organization === undefined ? noClaims : { org_id: organization.organizationId, org_name: organization.displayName }

/** Computes the claims about a user that the userinfo endpoint returns (OIDC Core §5.3.2). */
export async function computeUserinfoClaims(subject: ClaimsSubject, deps: ClaimsDependencies): Promise<JsonObject> {
  const mapped = deps.mapClaims === undefined ? noClaims : await mapClaims(subject, ['userinfo'], deps)
  return (await releasedClaims(subject, { destination: 'userinfo', mapped }, deps)).claims
}

/** Computes the claims that introspection adds to the claims of a token (RFC 7662 §2.2). */
export async function computeIntrospectionClaims(
  subject: ClaimsSubject,
  deps: ClaimsDependencies,
): Promise<JsonObject> {
  if (deps.mapClaims === undefined) return noClaims
  return (await mapClaims(subject, ['introspection'], deps)).introspection ?? noClaims
}

/**
 * Collects the claims that a client receives about a user: the claims of its granted scopes, and the claims that it
 * requested individually (OIDC Core §5.4, §5.5). Names come from the scope registry and never from the data, so a claim
 * is not released just because a user has it. Protocol claims are never released. Claims that the host returned and
 * that no name covers are reported: the host meant them to arrive.
 */
async function releasedClaims(
  subject: ClaimsSubject,
  { destination, mapped }: { readonly destination: 'id_token' | 'userinfo'; readonly mapped: ClaimsByDestination },
  deps: ClaimsDependencies,
): Promise<LimitedClaims> {
  const { byScope, byName } = releasableNames(subject, destination, deps.scopes)
  const names = new Set([...byScope, ...byName])
  const mappedClaims = mapped[destination] ?? noClaims
  const unreleased = Object.keys(mappedClaims).filter((name) => !names.has(name))
  if (unreleased.length > 0)
    deps.reportUnreleased({ clientId: subject.client.clientId, destination, names: unreleased })
  const sources = subject.scopes.flatMap((scope) => deps.apiClaims.identityByScope.get(scope) ?? [])
  const { claims, omitted } =
    sources.length === 0 ? nothingReleased : await limitedClaims(subject, { sources, mapped: noClaims }, deps)
  const known = { ...subject.user?.claims, ...claims, ...mappedClaims }
  const overflow = claims['claims_overflow']
  const released: Record<string, JsonValue> = overflow === undefined ? {} : { claims_overflow: overflow }
  for (const name of names) {
    const value = Object.hasOwn(known, name) ? known[name] : undefined
    const isOmitted = omitted.includes(name) && !Object.hasOwn(mappedClaims, name)
    if (value !== undefined && value !== null && !protocolClaims.has(name) && !isOmitted) released[name] = value
  }
  return { claims: released, omitted }
}

/** Calls the host's function, and checks what it returns. */
async function mapClaims(
  subject: ClaimsSubject,
  destinations: readonly ClaimsDestination[],
  deps: ClaimsDependencies,
): Promise<ClaimsByDestination> {
  if (deps.mapClaims === undefined) return noClaims
  const { user, client, scopes, audience, organization } = subject
  const context: ClaimsContext = {
    destinations,
    subject: user?.userId ?? client.clientId,
    user: user && { providerId: user.providerId, claims: user.claims },
    clientId: client.clientId,
    scopes,
    audience,
    organization: organization && {
      id: organization.organizationId,
      name: organization.displayName,
      roles: organization.roles,
    },
    requested: {
      id_token: releasableNames(subject, 'id_token', deps.scopes),
      userinfo: releasableNames(subject, 'userinfo', deps.scopes),
    },
  }
  try {
    const mapped = await deps.mapClaims(context)
    refuseReservedClaims(mapped, subject)
    return mapped
  } catch (error) {
    if (error instanceof OAuthError || error instanceof StorageUnavailableError) throw error
    // RFC 6749 §5.2: nothing is issued without the claims that the host meant to add.
    throw refuse('claims_failed', { clientId: client.clientId, userId: user?.userId }, { cause: error })
  }
}

/** @throws TypeError that names the claim: ignoring it would hide a defect of the host's function. */
function refuseReservedClaims(mapped: ClaimsByDestination, { organization }: ClaimsSubject): void {
  for (const [destination, claims] of Object.entries(mapped)) {
    const reserved = Object.hasOwn(reservedClaims, destination)
      ? reservedClaims[destination as ClaimsDestination]
      : undefined
    if (reserved === undefined)
      throw new TypeError(`The option claims returned the unknown destination ${destination}.`)
    const isReserved = (name: string): boolean =>
      reserved.has(name) || (organization !== undefined && organizationClaimNames.some((own) => own === name))
    const name = Object.keys(claims ?? {}).find(isReserved)
    if (name !== undefined)
      throw new TypeError(`The option claims must not return ${name} for ${destination}: the server sets this claim.`)
  }
}

/** The claims that the host must not set, by destination (RFC 7519 §4.1, RFC 9068 §2.2, RFC 7662 §2.2). */
const reservedClaims: Readonly<Record<ClaimsDestination, ReadonlySet<string>>> = {
  id_token: protocolClaims,
  userinfo: protocolClaims,
  access_token: new Set([...protocolClaims, ...accessTokenClaimNames]),
  introspection: new Set([...protocolClaims, ...accessTokenClaimNames, ...introspectionClaimNames]),
}

function sourcesOf(
  { scopes, audience }: ClaimsSubject,
  { byResource, byScope }: ApiClaimSettings,
): readonly ApiClaimSource[] {
  return [
    ...audience.flatMap((uri) => byResource.get(uri) ?? []),
    ...scopes.flatMap((scope) => byScope.get(scope) ?? []),
  ]
}

function releasableNames(
  { scopes, client, claimsRequest }: ClaimsSubject,
  destination: 'id_token' | 'userinfo',
  registry: ScopeRegistry,
): ReleasableNames {
  const member = destination === 'id_token' ? 'idTokenClaims' : 'claims'
  const byScope = scopes.flatMap((scope) => registry.get(scope)?.[member] ?? [])
  const byName = requestedClaimNames(claimsRequest, destination)
  return { byScope, byName: byName.length === 0 ? byName : namesAllowedToClient(byName, client, registry) }
}

/**
 * Individually requested claims are released only while one of the client's registered scopes contains them (OIDC Core
 * §5.5).
 */
function namesAllowedToClient(
  names: readonly string[],
  client: Pick<ClientRecord, 'scopes'>,
  registry: ScopeRegistry,
): readonly string[] {
  const allowed = new Set(client.scopes.flatMap((scope) => claimsOfScope(scope, registry)))
  return names.filter((name) => allowed.has(name))
}
