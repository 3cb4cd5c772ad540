import type { ClientRecord } from '@mintmark/storage-interface'

import { OAuthError } from '../error/oauth-error.ts'
import { spaceSeparated } from '../parameters/space-separated.ts'

/**
 * The scope values that a request may go on with. Values that this server does not know are left out (OIDC Core
 * §3.1.2.1); a value that it knows and the client is not registered for is refused.
 * @throws OAuthError invalid_scope — reason `scope_malformed` | `scope_missing` | `scope_not_allowed`.
 */
export function requestedScopes(
  scope: string | undefined,
  client: ClientRecord,
  known: ReadonlyMap<string, string>,
): readonly string[] {
  // RFC 6749 §3.3: scope tokens are visible ASCII without quote and backslash.
  if (scope !== undefined && !/^[\x20\x21\x23-\x5B\x5D-\x7E]{1,2000}$/.test(scope)) {
    throw new OAuthError('invalid_scope', 'The scope parameter is malformed.', { reason: 'scope_malformed' })
  }
  const scopes = spaceSeparated(scope).filter((value) => known.has(value))
  // RFC 6749 §3.3: without a default scope, a request without one fails.
  if (scopes.length === 0) {
    throw new OAuthError('invalid_scope', 'Ask for at least one scope that this server knows.', { reason: 'scope_missing' })
  }
  // RFC 6749 §4.1.2.1: invalid_scope.
  if (scopes.some((value) => !client.scopes.includes(value))) {
    throw new OAuthError('invalid_scope', 'The client is not registered for a requested scope.', { reason: 'scope_not_allowed' })
  }
  return scopes
}
