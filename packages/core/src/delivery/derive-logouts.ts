import { encodeBase64url, randomIdentifier, sha256, type Random } from '@mintmark/internal'
import {
  after,
  type ClientId,
  type DeliveryStorage,
  type EpochSeconds,
  epochSeconds,
  type JsonObject,
  revocationRetention,
  seconds,
  type UserId,
} from '@mintmark/storage-interface'
import type { NewDelivery, Revocation, SessionId } from '@mintmark/storage-interface/stores'

import type { Journal } from '../events.ts'

export interface DeriveLogoutsDependencies {
  readonly storage: DeliveryStorage
  readonly random: Random
  readonly journal: Pick<Journal, 'recordWithoutRequest'>
}

/** The name of the channel of logout tokens, and of its cursor in the list of revocations. */
export const logoutChannel = 'logout'

/**
 * Reads the next page of the list of revocations, and enqueues a logout token for each client that had joined a revoked
 * session (Back-Channel Logout §2.5). Any number of processes may do this, and may stop at any point: the position
 * moves after the messages were enqueued, and a message that was enqueued before is not enqueued again.
 * @returns the last position that was read, and whether there is more.
 */
export async function deriveLogouts(
  now: EpochSeconds,
  deps: DeriveLogoutsDependencies,
): Promise<{ readonly position: number; readonly more: boolean }> {
  const { revocations, deliveries, cursors } = deps.storage
  const cursor = await cursors.read(logoutChannel)
  const { position, readAt, version } = cursor ?? { position: 0, readAt: now, version: 0 }
  const page = { from: Math.max(position, 1), revokedSince: epochSeconds(0), limit: pageSize + 1 }
  const { records } = await revocations.list(page)
  const later = records.filter((record) => record.position > position)
  // If the revocation at the position was purged, revocations after it may have been purged before they were read.
  const wasPurged = cursor !== undefined && records[0]?.position !== position
  if (wasPurged && now > readAt + revocationRetention - purgeMargin)
    deps.journal.recordWithoutRequest({ type: 'delivery.gap', channel: logoutChannel, since: readAt })

  for (const { revocation } of later) {
    const messages = await logoutsAfter(revocation, deps.storage)
    if (messages.length > 0) await deliveries.enqueue(await Promise.all(messages.map(toDelivery)))
  }
  const more = records.length > pageSize
  const last = later.at(-1)?.position ?? position
  const isStale = cursor === undefined || now >= readAt + refreshEvery
  if (last > position || isStale) {
    // If another process moved the position first, it has enqueued the same messages.
    await cursors.compareAndSwap({ consumer: logoutChannel, position: last, readAt: more ? readAt : now }, version)
  }
  return { position: last, more }

  async function toDelivery({ clientId, content, dedupeParts }: Logout): Promise<NewDelivery> {
    const expiresAt = after(now, deliveryLifetime)
    return {
      deliveryId: newDeliveryId(now, deps.random),
      dedupeKey: encodeBase64url(await sha256(JSON.stringify([logoutChannel, clientId, ...dedupeParts]))),
      channel: logoutChannel,
      recipient: clientId,
      lane: undefined,
      sequence: undefined,
      content,
      createdAt: now,
      expiresAt,
      keptUntil: after(expiresAt, deadRetention),
    }
  }
}

/** The number of revocations in a page. */
const pageSize = 100

/**
 * In seconds: how often `readAt` is written while the position does not change. It shows that the list is being read.
 */
const refreshEvery = 300

/** In seconds: a margin for clocks that differ. */
const purgeMargin = 600

/** Identifiers sort by time. */
export const newDeliveryId = (now: EpochSeconds, random: Random): string =>
  `${String(now).padStart(11, '0')}-${randomIdentifier(random)}`

/**
 * How long a delivered logout token is kept. Until then, its `dedupeKey` keeps it from being enqueued again: if the
 * position is lost, the revocations are read again from the first that is kept.
 */
export const deliveredRetention = seconds(revocationRetention + purgeMargin)

/** How long the server tries to deliver a message. */
export const deliveryLifetime = seconds(86_400)

/** How long an administrator can requeue a message that could not be delivered. */
export const deadRetention = seconds(30 * 86_400)

/** A logout token for a client. */
interface Logout {
  readonly clientId: ClientId
  readonly content: LogoutContent
  /** Identifies what was revoked. Together with the client, it determines the `dedupeKey`. */
  readonly dedupeParts: readonly (string | number)[]
}

/** The content of a logout token. Without `sid` it concerns all sessions of the user. */
interface LogoutContent extends JsonObject {
  readonly sub: string
  readonly sid: string | null
}

/**
 * Returns the logout tokens that follow from a revocation. A user who only withdraws consent stays signed in at the
 * client.
 */
async function logoutsAfter(revocation: Revocation, storage: DeliveryStorage): Promise<readonly Logout[]> {
  switch (revocation.kind) {
    case 'session':
      return logoutsOfSession(revocation.sessionId, storage)
    case 'generation':
      return logoutsOfUser(revocation.userId, revocation.generation, storage)
    case 'account':
      return logoutsOfUser(revocation.userId, Number.MAX_SAFE_INTEGER, storage)
    case 'token':
    case 'family':
    case 'grant':
    case 'key':
    case 'client':
    case 'client_in_use':
      return []
    default:
      return revocation satisfies never
  }
}

async function logoutsOfSession(sessionId: SessionId, storage: DeliveryStorage): Promise<readonly Logout[]> {
  const participants = await storage.sessions.participants(sessionId)
  const session = participants.length === 0 ? undefined : await storage.sessions.find(sessionId)
  if (session?.userId === undefined) return []
  const { userId } = session
  const recipients = await recipientsAmong(participants, storage)
  return recipients.map(({ clientId }) => logoutOfSession(clientId, userId, sessionId))
}

/**
 * Returns one logout token for each client, about all sessions of the user; a client that needs `sid` gets one logout
 * token for each session (Back-Channel Logout §2.2).
 */
async function logoutsOfUser(userId: UserId, generation: number, storage: DeliveryStorage): Promise<readonly Logout[]> {
  const participants = await storage.sessions.participantsOfUser(userId, generation)
  const recipients = await recipientsAmong(participants, storage)
  return recipients.flatMap(({ clientId, needsSession }): readonly Logout[] => {
    if (!needsSession)
      return [{ clientId, content: { sub: userId, sid: null }, dedupeParts: ['user', userId, generation] }]
    const own = participants.filter((participant) => participant.clientId === clientId)
    return own.map(({ sessionId }) => logoutOfSession(clientId, userId, sessionId))
  })
}

const logoutOfSession = (clientId: ClientId, userId: UserId, sessionId: SessionId): Logout => ({
  clientId,
  content: { sub: userId, sid: sessionId },
  dedupeParts: ['session', sessionId],
})

/**
 * Returns the clients that receive logout tokens: they have registered a URL for them and were not removed or disabled.
 */
async function recipientsAmong(
  participants: readonly { readonly clientId: ClientId }[],
  { clients }: DeliveryStorage,
): Promise<readonly { readonly clientId: ClientId; readonly needsSession: boolean }[]> {
  const ids = [...new Set(participants.map(({ clientId }) => clientId))]
  const found = await Promise.all(ids.map((id) => clients.find(id)))
  return found.flatMap((client) =>
    client?.backchannelLogoutUri === undefined || client.disabledAt !== undefined
      ? []
      : [{ clientId: client.clientId, needsSession: client.backchannelLogoutSessionRequired }],
  )
}
