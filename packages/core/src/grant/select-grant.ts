import type { AuthenticatedClient } from '../client/authenticate-client.ts'
import { OAuthError } from '../error/oauth-error.ts'
import type { Parameters } from '../parameters/parameters.ts'
import type { GrantType } from './grant.ts'

/**
 * Finds the grant that the request names and the client may use.
 * @throws OAuthError invalid_request — reason `grant_type_missing`.
 * @throws OAuthError unsupported_grant_type — reason `grant_type_unknown`.
 * @throws OAuthError unauthorized_client — reason `grant_type_not_registered`.
 */
export function selectGrant(form: Parameters, client: AuthenticatedClient, grants: readonly GrantType[]): GrantType {
  const grantType = form.get('grant_type')
  // RFC 6749 §4: every token request names its grant type.
  if (grantType === undefined) {
    throw new OAuthError('invalid_request', 'The grant_type parameter is missing.', { reason: 'grant_type_missing' })
  }
  const grant = grants.find((candidate) => candidate.grantType === grantType)
  // RFC 6749 §5.2: unsupported_grant_type.
  if (grant === undefined) {
    throw new OAuthError('unsupported_grant_type', 'This grant type is not supported.', {
      reason: 'grant_type_unknown',
    })
  }
  // RFC 6749 §5.2: unauthorized_client.
  if (!client.grantTypes.includes(grantType)) {
    throw new OAuthError('unauthorized_client', 'The client is not registered for this grant type.', {
      reason: 'grant_type_not_registered',
    })
  }
  return grant
}
