import { clientId, type ClientRecord, type Storage } from '@mintmark/storage-interface'

import { isVisibleAscii } from '../client/visible-ascii.ts'
import { OAuthError } from '../error/oauth-error.ts'
import type { Parameters } from '../parameters/parameters.ts'

/**
 * Finds the client that an authorization request names. It proves nothing yet: anybody can write a link.
 * @throws OAuthError invalid_request — reason `client_id_missing` | `client_id_repeated` | `client_unknown` | `client_disabled`;
 *   for a local page, since nobody is proven to whom the browser could be sent (RFC 6749 §4.1.2.1).
 */
export async function identifyClient(parameters: Parameters, storage: Storage): Promise<ClientRecord> {
  const id = parameters.get('client_id')
  // RFC 6749 §4.1.1: client_id is required. §3.1: it must not repeat.
  if (id === undefined) throw localError('The client_id parameter is missing.', 'client_id_missing')
  if (parameters.isRepeated('client_id')) throw localError('The client_id parameter is repeated.', 'client_id_repeated')

  // RFC 6749 Appendix A.1: a client_id is visible ASCII; other text names no client.
  const client = isVisibleAscii(id) ? await storage.clients.find(clientId(id)) : undefined
  // RFC 6749 §4.1.2.1: an unknown client never leads to a redirect. A disabled one reads the same.
  if (client === undefined) throw localError(unknownClient, 'client_unknown')
  if (client.disabledAt !== undefined) throw localError(unknownClient, 'client_disabled')
  return client
}

const unknownClient = 'The application that sent you here is not registered with this service.'

const localError = (
  description: string,
  reason: 'client_id_missing' | 'client_id_repeated' | 'client_unknown' | 'client_disabled',
): OAuthError => new OAuthError('invalid_request', description, { reason })
