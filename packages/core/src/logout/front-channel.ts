import type { ClientRecord, OAuthStorage } from '@mintmark/storage-interface'
import type { SessionId } from '@mintmark/storage-interface/stores'

import type { KeyRing } from '../keys/ring.ts'
import { sidFor } from '../tokens/pairwise.ts'

/**
 * Returns the addresses to load in frames when a session is revoked (Front-Channel Logout §3): the addresses of the
 * clients that the user signed in to during the session, at most twenty, beginning with the most recent sign-in.
 */
export async function frontChannelFrames(
  session: SessionId,
  { issuer, storage, keys }: { readonly issuer: string; readonly storage: OAuthStorage; readonly keys: KeyRing },
): Promise<readonly string[]> {
  const participants = (await storage.sessions.participants(session)).toSorted((a, b) => b.lastAt - a.lastAt)
  const clients = await Promise.all(participants.map(({ clientId }) => storage.clients.find(clientId)))
  const addresses = await Promise.all(
    clients.map(async (client) => {
      const sid = client && (await sidFor(session, client, keys))
      return frameAddress(client, sid === undefined ? undefined : { iss: issuer, sid })
    }),
  )
  return addresses.filter((address) => address !== undefined).slice(0, maxFrames)
}

/** Each frame is a page of another site, and a browser loads only a few at the same time. */
const maxFrames = 20

/** @returns `undefined` for a client without a front-channel logout URI, and for a client that has been removed. */
function frameAddress(
  client: ClientRecord | undefined,
  parameters: { readonly iss: string; readonly sid: string } | undefined,
): string | undefined {
  const address = client?.frontchannelLogoutUri
  // Front-Channel Logout §2: the address gets both parameters or neither, after its registered query.
  if (address === undefined || parameters === undefined || client?.frontchannelLogoutSessionRequired !== true)
    return address
  return `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams(parameters).toString()}`
}
