import { isJsonObject, parseJsonObject, repeatsMember } from '@mintmark/internal'
import type { ClientRecord, JsonObject, JsonValue } from '@mintmark/storage-interface'

import { type ProfileSettings, profileRules } from '../clients/security-profile.ts'
import { splitAtSpaces } from '../parameters.ts'
import { beginningOf, refuse } from '../refusals.ts'
import { organizationScope } from './organization.ts'

/**
 * Determines the scope values of a request. Unknown values are ignored (OIDC Core §3.1.2.1), and so is `offline_access`
 * if no refresh token can be issued (OIDC Core §11). Values that the client is not registered for are left out (RFC 6749
 * §3.3), except `openid`: without it, the request would not be a request of OpenID Connect any more.
 * @throws OAuthError invalid_scope — reason `scope_malformed` | `scope_missing` | `scope_not_allowed`.
 */
export function requestedScopes(
  scope: string | undefined,
  client: ClientRecord,
  rules: ProfileSettings & { readonly scopes: ScopeRegistry },
): readonly string[] {
  const { scopes: registry } = rules
  // RFC 6749 §3.3: scope tokens are visible ASCII without quote and backslash.
  if (scope !== undefined && !/^[\x20\x21\x23-\x5B\x5D-\x7E]{1,2000}$/.test(scope)) throw refuse('scope_malformed')
  const scopes = splitAtSpaces(scope).filter((value) => registry.has(value) && !isUnusableOfflineAccess(value, client))
  // RFC 6749 §3.3: there is no default scope, so a request without one fails.
  if (scopes.length === 0) throw refuse('scope_missing')
  // IPSIE SL1 §3.2.1: access tokens are only for the user's claims at this server.
  const allowed = profileRules(client, rules).identityOnly
    ? client.scopes.filter((scope) => registry.get(scope)?.isIdentity === true)
    : client.scopes
  return allowedScopes(scopes, { client, allowed, indispensable: ['openid'] }, rules)
}

/**
 * Returns the requested values that the client may have. The token response says which these are (RFC 6749 §3.3, §5.1).
 * @param rules `allowed`: what the client may have here. `indispensable`: values that are never left out.
 * @throws OAuthError invalid_scope — reason `scope_not_allowed`: no value is left, an indispensable value would be left
 *   out, or the profile of the client requires that a request is granted completely.
 */
export function allowedScopes(
  scopes: readonly string[],
  {
    client,
    allowed,
    indispensable = [],
  }: {
    readonly client: ClientRecord
    readonly allowed: readonly string[]
    readonly indispensable?: readonly string[]
  },
  settings: ProfileSettings,
): readonly string[] {
  const refused = scopes.filter((value) => !allowed.includes(value))
  const mayOmit = profileRules(client, settings).omitsScopes && !refused.some((value) => indispensable.includes(value))
  // RFC 6749 §4.1.2.1, §5.2: invalid_scope.
  if (refused.length === scopes.length || (refused.length > 0 && !mayOmit)) {
    const context = { refusedScopes: refused.slice(0, 20), registeredScopes: allowed }
    throw refuse('scope_not_allowed', { clientId: client.clientId, ...context })
  }
  return scopes.filter((value) => allowed.includes(value))
}

/** Returns the values of the `scope` parameter that were not granted, for an event: at most 20, of at most 100 characters. */
export const omittedScopes = (scope: string | undefined, granted: readonly string[]): readonly string[] =>
  splitAtSpaces(scope)
    .filter((value) => !granted.includes(value))
    .slice(0, 20)
    .map(beginningOf)

/**
 * Returns the scope values that contain the individually requested claims (OIDC Core §5.5). The user consents to them
 * as to other scope values, but the tokens do not contain them. A claim that is in none of the client's scope values is
 * not released.
 */
export function scopesOfRequestedClaims(
  claimsRequest: JsonObject | undefined,
  client: ClientRecord,
  registry: ScopeRegistry,
): readonly string[] {
  if (claimsRequest === undefined) return []
  const names = [...requestedClaimNames(claimsRequest, 'id_token'), ...requestedClaimNames(claimsRequest, 'userinfo')]
  return client.scopes.filter((scope) => claimsOfScope(scope, registry).some((claim) => names.includes(claim)))
}

/** Returns the claims that a scope value releases, in the ID token or at userinfo. */
export function claimsOfScope(scope: string, registry: ScopeRegistry): readonly string[] {
  const definition = registry.get(scope)
  return definition === undefined ? [] : [...definition.claims, ...definition.idTokenClaims]
}

const isUnusableOfflineAccess = (scope: string, client: ClientRecord): boolean =>
  scope === 'offline_access' && !client.grantTypes.includes('refresh_token')

/**
 * Returns the granted scope values that the client is still registered for. When an administrator removes a scope value
 * from the client, tokens issued later do not contain it (RFC 6749 §3.3).
 */
export const registeredScopes = (granted: readonly string[], client: Pick<ClientRecord, 'scopes'>): readonly string[] =>
  granted.filter((scope) => client.scopes.includes(scope))

/**
 * Whether the client receives and may use refresh tokens: `offline_access` was granted, and the client is still
 * registered for it and for the grant type (OIDC Core §11).
 */
export const mayRefresh = (granted: readonly string[], client: Pick<ClientRecord, 'scopes' | 'grantTypes'>): boolean =>
  client.grantTypes.includes('refresh_token') && registeredScopes(granted, client).includes('offline_access')

/** A scope value: its description on the consent page, and the claims that it contains. */
interface ScopeDefinition {
  /** A sentence for the consent page. */
  readonly description: string
  /** Claims that the userinfo endpoint returns, if the user has them. */
  readonly claims: readonly string[]
  /** Claims that the ID token contains, if the user has them. */
  readonly idTokenClaims: readonly string[]
  /** Whether the scope concerns the user's identity rather than an API. */
  readonly isIdentity: boolean
}

/** Scope values by name. */
export type ScopeRegistry = ReadonlyMap<string, ScopeDefinition>

const identityScope = (
  description: string,
  claims: readonly string[],
  idTokenClaims: readonly string[] = [],
): ScopeDefinition => ({ description, claims, idTokenClaims, isIdentity: true })

/**
 * The scope values of OpenID Connect (OIDC Core §5.4, §11). The ID token stays small; the userinfo endpoint returns the
 * rest.
 */
export const standardScopes: ScopeRegistry = new Map([
  ['openid', identityScope('Know who you are', [])],
  [
    'profile',
    identityScope(
      'See your name and profile',
      [
        'name',
        'family_name',
        'given_name',
        'middle_name',
        'nickname',
        'preferred_username',
        'profile',
        'picture',
        'website',
        'gender',
        'birthdate',
        'zoneinfo',
        'locale',
        'updated_at',
      ],
      ['name', 'given_name', 'family_name', 'preferred_username'],
    ),
  ],
  ['email', identityScope('See your e-mail address', ['email', 'email_verified'], ['email', 'email_verified'])],
  ['address', identityScope('See your postal address', ['address'])],
  ['phone', identityScope('See your phone number', ['phone_number', 'phone_number_verified'])],
  ['offline_access', identityScope('Stay connected while you are away', [])],
])

/**
 * The scope value with which a client asks for tokens for one of the user's organizations. It releases no stored claim.
 */
export const organizationScopeDefinition = [
  organizationScope,
  identityScope('Know which organization you are signed in to', []),
] as const

/** The scope values with which a client manages the grants of its users (Grant Management §6.1). */
export const grantManagementScopes = { query: 'grant_management_query', revoke: 'grant_management_revoke' } as const

const apiScope = (description: string): ScopeDefinition => ({
  description,
  claims: [],
  idTokenClaims: [],
  isIdentity: false,
})

export const grantManagementScopeDefinitions = [
  [grantManagementScopes.query, apiScope('See what you have allowed this application')],
  [grantManagementScopes.revoke, apiScope('Withdraw what you have allowed this application')],
] as const

/** The members of the `claims` parameter (OIDC Core §5.5). */
type RequestedDestination = 'id_token' | 'userinfo'

/**
 * Parses the `claims` request parameter (OIDC Core §5.5): an object whose members `id_token` and `userinfo` map claim
 * names to `null` or `{ essential, value, values }`. Unknown members are ignored.
 * @throws OAuthError invalid_request — reason `claims_malformed`.
 */
export function parseClaimsRequest(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined
  const request = parseJsonObject(text)
  // OIDC Core §5.5: a JSON object of objects. If a member name occurs twice, parsers differ in which member they read.
  if (
    request === undefined ||
    repeatsMember(text) ||
    !destinations.every((name) => isOptionalClaims(ownMember(request, name)))
  )
    throw refuse('claims_malformed')
  return request
}

/** Returns the names of the individually requested claims. */
export function requestedClaimNames(
  request: JsonObject | undefined,
  destination: RequestedDestination,
): readonly string[] {
  const claims = request === undefined ? undefined : ownMember(request, destination)
  return isJsonObject(claims) ? Object.keys(claims) : []
}

/** Returns the requested `value` or `values` of a claim; `undefined` when any value is accepted. */
export function requestedValues(
  request: JsonObject | undefined,
  destination: RequestedDestination,
  name: string,
): readonly JsonValue[] | undefined {
  const claims = request === undefined ? undefined : ownMember(request, destination)
  const claim = isJsonObject(claims) ? ownMember(claims, name) : undefined
  if (!isJsonObject(claim)) return undefined
  const values = ownMember(claim, 'values')
  const value = ownMember(claim, 'value')
  if (isList(values)) return values
  return value === undefined ? undefined : [value]
}

/** Whether the claim is essential (OIDC Core §5.5.1). */
export function isEssential(request: JsonObject | undefined, destination: RequestedDestination, name: string): boolean {
  const claims = request === undefined ? undefined : ownMember(request, destination)
  const claim = isJsonObject(claims) ? ownMember(claims, name) : undefined
  return isJsonObject(claim) && ownMember(claim, 'essential') === true
}

/** Returns the request without the claims that the user did not consent to. */
export function keepClaims(request: JsonObject | undefined, names: ReadonlySet<string>): JsonObject | undefined {
  if (request === undefined) return undefined
  const kept = destinations.map((destination) => {
    const claims = ownMember(request, destination)
    const entries = isJsonObject(claims) ? Object.entries(claims).filter(([name]) => names.has(name)) : []
    return [destination, Object.fromEntries(entries)] as const
  })
  return Object.fromEntries(kept)
}

const destinations: readonly RequestedDestination[] = ['id_token', 'userinfo']

function isOptionalClaims(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true
  return isJsonObject(value) && Object.values(value).every((claim) => claim === null || isClaimRequest(claim))
}

/**
 * Whether a requested claim has valid members. A malformed `essential` or `values` is refused, because the requirement
 * of the client would be lost if it were ignored. Unknown members are ignored (OIDC Core §5.5.1).
 */
function isClaimRequest(claim: JsonValue): boolean {
  if (!isJsonObject(claim)) return false
  const essential = ownMember(claim, 'essential')
  const values = ownMember(claim, 'values')
  return (essential === undefined || typeof essential === 'boolean') && (values === undefined || isList(values))
}

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value)

/** Returns a member of the object itself. Members that it inherits, such as `constructor`, were not requested. */
const ownMember = (object: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined
