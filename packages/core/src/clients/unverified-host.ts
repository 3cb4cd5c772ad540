import type { ClientRecord } from '@mintmark/storage-interface'

import { isVerified } from './logo.ts'

/**
 * Returns what identifies a client whose name nobody has verified: the host of its metadata document, or the host or
 * scheme of the redirect URI. `undefined` if an administrator or a signed statement has confirmed the name.
 * @param redirectUri the verified redirect URI of the request; otherwise the first one of the client.
 */
export function unverifiedHost(
  client: ClientRecord,
  redirectUri: string | undefined = client.redirectUris[0],
): string | undefined {
  if (client.origin === 'document') return hostOf(client)
  // RFC 7591 §5: a client that registers itself chooses its own name.
  if (isVerified(client, 'client_name') || redirectUri === undefined || !URL.canParse(redirectUri)) return undefined
  const { protocol, host } = new URL(redirectUri)
  // Nobody owns the host of an app's address, so an app could use any name there.
  return protocol === 'https:' || protocol === 'http:' ? host : protocol.slice(0, -1)
}

/**
 * Returns the same for a client on another device (RFC 8628). No redirect proves anything about it, and anybody can
 * register the redirect URI of somebody else, so its `client_id` identifies it.
 */
export function unverifiedDevice(client: ClientRecord): string | undefined {
  if (client.origin === 'document') return hostOf(client)
  return isVerified(client, 'client_name') ? undefined : client.clientId
}

/** A document is at the URL that is the `client_id`; a row that says otherwise was changed by hand. */
const hostOf = ({ clientId }: ClientRecord): string => (URL.canParse(clientId) ? new URL(clientId).host : clientId)
