import { type ClientId, type EpochSeconds, type OAuthStorage, sessionId, userId } from '@mintmark/storage-interface'
import type { SessionEndReason, SessionId, SessionParticipantRecord } from '@mintmark/storage-interface/stores'

import { unverifiedHost } from '../clients/unverified-host.ts'

/** A session as its user sees it. */
export interface SessionSummary {
  /** Identifies the session; it is not a credential. */
  readonly sessionId: string
  readonly signedInAt: EpochSeconds
  readonly amr: readonly string[]
  /** `undefined` for a session of the host. */
  readonly expiresAt: EpochSeconds | undefined
  /** Browser and system, such as `Firefox on Windows`; `undefined` when neither is known. */
  readonly userAgent: string | undefined
  /** The place where the user signed in, as the host named it. */
  readonly location: string | undefined
  /** When the browser last used the session, accurate to a minute; for a session of the host, when a client last joined. */
  readonly lastSeenAt: EpochSeconds
  /** The clients that the user signed in to in this session. */
  readonly clients: readonly SignedInClient[]
}

/** A client that a user signed in to during a session. */
interface SignedInClient {
  readonly clientId: string
  readonly clientName: string
  /** Show it before the name: it identifies a client whose name nobody has verified. */
  readonly unverifiedHost: string | undefined
  readonly lastAt: EpochSeconds
}

/** Lists a user's active sessions, newest first. */
export async function listSessions(
  subject: string,
  now: EpochSeconds,
  storage: OAuthStorage,
): Promise<readonly SessionSummary[]> {
  const sessions = await storage.sessions.listByUser(userId(subject), now)
  const joined = await storage.sessions.participantsOfUser(userId(subject), Number.MAX_SAFE_INTEGER)
  const shown = await shownClients(joined, storage)
  return sessions.map(({ sessionId: id, authTime, amr, expiresAt, userAgent, location, lastSeenAt }) => ({
    sessionId: id,
    signedInAt: authTime,
    amr,
    expiresAt,
    userAgent,
    location,
    lastSeenAt,
    clients: joined.flatMap(({ sessionId: joinedId, clientId, lastAt }) => {
      const client = shown.get(clientId)
      return joinedId === id && client !== undefined ? [{ clientId, ...client, lastAt }] : []
    }),
  }))
}

/**
 * Revokes all sessions of a user except one, including expired sessions that a client has joined.
 * @returns the identifiers of the revoked sessions.
 */
export async function endOtherSessions(
  subject: string,
  { kept, reason, now }: { readonly kept: string; readonly reason: SessionEndReason; readonly now: EpochSeconds },
  { sessions }: OAuthStorage,
): Promise<readonly SessionId[]> {
  const user = userId(subject)
  const active = await sessions.listByUser(user, now)
  const joined = await sessions.participantsOfUser(user, Number.MAX_SAFE_INTEGER)
  const others = new Set([...active, ...joined].map(({ sessionId: id }) => id))
  others.delete(sessionId(kept))
  const ended: SessionId[] = []
  for (const id of others) {
    const { outcome } = await sessions.revoke({ sessionId: id, reason, now, tombstoneUntil: undefined })
    if (outcome === 'revoked') ended.push(id)
  }
  return ended
}

/** Lists the clients that the user has signed in to in one session, for a page: at most 20. */
export async function listApps(
  session: string,
  storage: OAuthStorage,
): Promise<readonly Pick<SignedInClient, 'clientName' | 'unverifiedHost'>[]> {
  const joined = await storage.sessions.participants(sessionId(session))
  const shown = await shownClients(joined.slice(0, 20), storage)
  return [...shown.values()]
}

/** Finds what users are shown of the clients. Leaves out clients that were removed. */
async function shownClients(
  joined: readonly SessionParticipantRecord[],
  { clients }: OAuthStorage,
): Promise<ReadonlyMap<ClientId, Pick<SignedInClient, 'clientName' | 'unverifiedHost'>>> {
  const ids = [...new Set(joined.map(({ clientId }) => clientId))]
  const found = await Promise.all(ids.map((id) => clients.find(id)))
  return new Map(
    found.flatMap((client) =>
      client === undefined
        ? []
        : [[client.clientId, { clientName: client.clientName, unverifiedHost: unverifiedHost(client) }]],
    ),
  )
}
