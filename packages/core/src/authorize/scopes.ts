import type { ClientRecord, JsonObject } from '@mintmark/storage-interface'

import { spaceSeparated } from '../parameters.ts'
import { refuse } from '../refusals.ts'
import { requestedClaimNames } from './claims-request.ts'

/**
 * Determines the scope values of a request. Unknown values are ignored (OIDC Core §3.1.2.1), and so is `offline_access`
 * if no refresh token can be issued (OIDC Core §11). A known value that the client is not registered for is refused.
 * @throws OAuthError invalid_scope — reason `scope_malformed` | `scope_missing` | `scope_not_allowed`.
 */
export function requestedScopes(
  scope: string | undefined,
  client: ClientRecord,
  registry: ScopeRegistry,
): readonly string[] {
  // RFC 6749 §3.3: scope tokens are visible ASCII without quote and backslash.
  if (scope !== undefined && !/^[\x20\x21\x23-\x5B\x5D-\x7E]{1,2000}$/.test(scope)) throw refuse('scope_malformed')
  const scopes = spaceSeparated(scope).filter((value) => registry.has(value) && !isIdleOfflineAccess(value, client))
  // RFC 6749 §3.3: there is no default scope, so a request without one fails.
  if (scopes.length === 0) throw refuse('scope_missing')
  // RFC 6749 §4.1.2.1: invalid_scope.
  if (scopes.some((value) => !client.scopes.includes(value))) throw refuse('scope_not_allowed')
  return scopes
}

/**
 * Returns the scope values that contain the individually requested claims (OIDC Core §5.5). The user consents to them
 * as to other scopes, but the token does not carry them. A claim that is in none of the client's scopes is not
 * released.
 */
export function scopesOfRequestedClaims(
  claimsRequest: JsonObject | undefined,
  client: ClientRecord,
  registry: ScopeRegistry,
): readonly string[] {
  const names = [...requestedClaimNames(claimsRequest, 'id_token'), ...requestedClaimNames(claimsRequest, 'userinfo')]
  return client.scopes.filter((scope) => registry.get(scope)?.claims.some((claim) => names.includes(claim)) === true)
}

const isIdleOfflineAccess = (scope: string, client: ClientRecord): boolean =>
  scope === 'offline_access' && !client.grantTypes.includes('refresh_token')

/**
 * Keeps the granted scope values that the client is still registered for: a scope that an administrator removes is in
 * no token issued later (RFC 6749 §3.3).
 */
export const registeredScopes = (granted: readonly string[], client: ClientRecord): readonly string[] =>
  granted.filter((scope) => client.scopes.includes(scope))

/**
 * Whether the client receives and may use refresh tokens: `offline_access` was granted, and the client is still
 * registered for it and for the grant type (OIDC Core §11).
 */
export const mayRefresh = (granted: readonly string[], client: ClientRecord): boolean =>
  client.grantTypes.includes('refresh_token') && registeredScopes(granted, client).includes('offline_access')

/** A scope value: its description on the consent page, and the claims that it contains. */
interface ScopeDefinition {
  /** A sentence for the consent page. */
  readonly description: string
  /** Claims that the userinfo endpoint returns, if the user has them. */
  readonly claims: readonly string[]
  /** The subset of the claims that the ID token contains too. */
  readonly idTokenClaims: readonly string[]
  /** Whether it concerns the user's identity rather than an API. */
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
      ['name', 'given_name', 'family_name'],
    ),
  ],
  ['email', identityScope('See your e-mail address', ['email', 'email_verified'], ['email', 'email_verified'])],
  ['address', identityScope('See your postal address', ['address'])],
  ['phone', identityScope('See your phone number', ['phone_number', 'phone_number_verified'])],
  ['offline_access', identityScope('Stay connected while you are away', [])],
])
