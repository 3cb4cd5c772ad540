import { streamScope } from '@mintmark/core/internal'
import type { RequestHead } from '@mintmark/internal'

import { refuse } from './refusals.ts'
import type { Receiver, TransmitterDependencies } from './transmitter-context.ts'

/**
 * Authenticates the receiver by an access token that was issued to itself.
 * @throws SignalError `token_missing` | `token_invalid` | `token_of_user` | `scope_missing` | `client_unknown`.
 */
export async function authenticateReceiver(
  request: RequestHead,
  readScopes: readonly string[],
  { accessTokens, storage }: TransmitterDependencies,
): Promise<Receiver> {
  const header = request.headers.get('authorization')
  if (header === undefined || header === '') throw refuse('token_missing')
  const [, token] = /^bearer +([\w.~+/-]+=*) *$/i.exec(header) ?? []
  // RFC 6750 §2: a request has one token.
  const found =
    token === undefined || request.repeatedHeaders.has('authorization')
      ? undefined
      : await accessTokens.accessToken(token)
  if (found === undefined) throw refuse('token_invalid')
  if (found.subject !== found.clientId) throw refuse('token_of_user')
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const accepted = isRead ? readScopes : [streamScope]
  if (!accepted.some((scope) => found.scopes.includes(scope)))
    throw refuse('scope_missing', { scope: accepted.at(-1) ?? streamScope })
  const client = await storage.clients.find(found.clientId)
  if (client === undefined || client.disabledAt !== undefined) throw refuse('client_unknown')
  return { client }
}
