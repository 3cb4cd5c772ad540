import type { ClientRecord, OAuthStorage } from '@mintmark/storage-interface'
import type { SessionId } from '@mintmark/storage-interface/stores'

/**
 * The addresses to load in frames when a session is revoked: those of the clients that took part in it (Front-Channel Logout
 * §3). Of more than twenty, those that the user signed in to last.
 */
export async function frontChannelFrames(
  session: SessionId,
  { issuer, storage }: { readonly issuer: string; readonly storage: OAuthStorage },
): Promise<readonly string[]> {
  const participants = (await storage.sessions.participants(session)).toSorted((a, b) => b.lastAt - a.lastAt)
  const clients = await Promise.all(participants.map(({ clientId }) => storage.clients.find(clientId)))
  return clients.flatMap((client) => frameAddress(client, { iss: issuer, sid: session }) ?? []).slice(0, maxFrames)
}

/** Each frame is a page of another site, and a browser loads only a few at the same time. */
const maxFrames = 20

/** @returns `undefined` for a client without such an address, and for one that was removed since. */
function frameAddress(
  client: ClientRecord | undefined,
  parameters: { readonly iss: string; readonly sid: string },
): string | undefined {
  const address = client?.frontchannelLogoutUri
  // Front-Channel Logout §2: both parameters or none of them, after a registered query.
  if (address === undefined || client?.frontchannelLogoutSessionRequired !== true) return address
  return `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams(parameters).toString()}`
}
