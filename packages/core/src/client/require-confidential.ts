import type { Brand } from '@mintmark/storage-interface'

import { OAuthError } from '../error/oauth-error.ts'
import type { AuthenticatedClient } from './authenticate-client.ts'

/** An authenticated client that did more than name itself. Only `requireConfidential` makes it. */
export type ConfidentialClient = Brand<AuthenticatedClient, 'ConfidentialClient'>

/**
 * Refuses a public client where a caller must have proven who it is.
 * @throws OAuthError invalid_client — reason `client_public`; it reads like every other failed authentication.
 */
export function requireConfidential(client: AuthenticatedClient): ConfidentialClient {
  // RFC 7662 §2.1: the endpoint requires authorization, and a name alone is none.
  if (client.tokenEndpointAuthMethod === 'none') {
    throw new OAuthError('invalid_client', 'Client authentication failed.', {
      reason: 'client_public',
      context: { clientId: client.clientId },
    })
  }
  return client as ConfidentialClient
}
