import type { ClientRecord, JsonObject } from '@mintmark/storage-interface'

import { requestedClaimNames } from '../claims/claims-request.ts'
import type { ScopeRegistry } from '../claims/scope-definition.ts'
import { OAuthError } from '../error/oauth-error.ts'
import { spaceSeparated } from '../parameters/space-separated.ts'

/**
 * The scope values that a request may go on with. Values that this server does not know are left out (OIDC Core
 * §3.1.2.1), and so is `offline_access` where no refresh token can come of it (OIDC Core §11); a value that the server
 * knows and the client is not registered for is refused.
 * @throws OAuthError invalid_scope — reason `scope_malformed` | `scope_missing` | `scope_not_allowed`.
 */
export function requestedScopes(
  scope: string | undefined,
  client: ClientRecord,
  registry: ScopeRegistry,
): readonly string[] {
  // RFC 6749 §3.3: scope tokens are visible ASCII without quote and backslash.
  if (scope !== undefined && !/^[\x20\x21\x23-\x5B\x5D-\x7E]{1,2000}$/.test(scope)) {
    throw new OAuthError('invalid_scope', 'The scope parameter is malformed.', { reason: 'scope_malformed' })
  }
  const scopes = spaceSeparated(scope).filter((value) => registry.has(value) && !isIdleOfflineAccess(value, client))
  // RFC 6749 §3.3: without a default scope, a request without one fails.
  if (scopes.length === 0) {
    throw new OAuthError('invalid_scope', 'Ask for at least one scope that this server knows.', {
      reason: 'scope_missing',
    })
  }
  // RFC 6749 §4.1.2.1: invalid_scope.
  if (scopes.some((value) => !client.scopes.includes(value))) {
    throw new OAuthError('invalid_scope', 'The client is not registered for a requested scope.', {
      reason: 'scope_not_allowed',
    })
  }
  return scopes
}

/**
 * The scope values that open claims which the request asks for one by one (OIDC Core §5.5). The person consents to them
 * like to the others, but the token does not carry them. Claims that no scope of the client's opens are not released.
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
