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
  readonly journal: Pick<Journal, 'announce'>
}

/** The channel of logout tokens, and the reader of the list of revocations that they follow from. */
export const logoutChannel = 'logout'

/**
 * Reads the next page of the list of revocations, and enqueues a logout token for each client that took part in a session that
 * was revoked (Back-Channel Logout §2.5). Any number of processes may do so, and stop anywhere: the position moves after the
 * page was enqueued, and a message that was enqueued before is not enqueued again.
 * @returns the position that was read to, and whether there is more.
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
  // The revocation at the position is purged after the retention: those behind it may have been purged as well.
  const wasPurged = cursor !== undefined && records[0]?.position !== position
  if (wasPurged && now > readAt + revocationRetention - purgeMargin)
    deps.journal.announce({ type: 'delivery.gap', channel: logoutChannel, since: readAt })

  for (const { revocation } of later) {
    const messages = await logoutsAfter(revocation, deps.storage)
    if (messages.length > 0) await deliveries.enqueue(await Promise.all(messages.map(toDelivery)))
  }
  const more = records.length > pageSize
  const last = later.at(-1)?.position ?? position
  const isStale = cursor === undefined || now >= readAt + refreshEvery
  if (last > position || isStale) {
    // Another process that was first has enqueued the same messages.
    await cursors.compareAndSwap({ consumer: logoutChannel, position: last, readAt: more ? readAt : now }, version)
  }
  return { position: last, more }

  async function toDelivery({ clientId, content, occasion }: Logout): Promise<NewDelivery> {
    const expiresAt = after(now, deliveryLifetime)
    return {
      // Identifiers are in the order of time.
      deliveryId: `${String(now).padStart(11, '0')}-${randomIdentifier(deps.random)}`,
      dedupeKey: encodeBase64url(await sha256(JSON.stringify([logoutChannel, clientId, ...occasion]))),
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

/** In revocations. */
const pageSize = 100

/** In seconds: how often the time of an unchanged position is written, so that others see that somebody reads. */
const refreshEvery = 300

/** In seconds, for clocks that differ. */
const purgeMargin = 600

/** For how long an attempt is made to deliver a message. */
export const deliveryLifetime = seconds(86_400)

/** How long an administrator can requeue a message that was given up. */
export const deadRetention = seconds(30 * 86_400)

/** A logout token that a client is to get. */
interface Logout {
  readonly clientId: ClientId
  readonly content: LogoutContent
  /** What was revoked, for this client. */
  readonly occasion: readonly (string | number)[]
}

/** What a logout token says; without `sid` it is about all sessions of the user. */
interface LogoutContent extends JsonObject {
  readonly sub: string
  readonly sid: string | null
}

/** The clients that learn of a revocation. Consent is not a session: who withdraws it stays signed in at the client. */
async function logoutsAfter(revocation: Revocation, storage: DeliveryStorage): Promise<readonly Logout[]> {
  switch (revocation.kind) {
    case 'session':
      return ofSession(revocation.sessionId, storage)
    case 'generation':
      return ofUser(revocation.userId, revocation.generation, storage)
    case 'account':
      return ofUser(revocation.userId, Number.MAX_SAFE_INTEGER, storage)
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

async function ofSession(sessionId: SessionId, storage: DeliveryStorage): Promise<readonly Logout[]> {
  const participants = await storage.sessions.participants(sessionId)
  const session = participants.length === 0 ? undefined : await storage.sessions.find(sessionId)
  if (session?.userId === undefined) return []
  const { userId } = session
  const recipients = await recipientsAmong(participants, storage)
  return recipients.map(({ clientId }) => logoutOfSession(clientId, userId, sessionId))
}

/** One token for each client, about all sessions; one for each session if the client needs `sid` (Back-Channel Logout §2.2). */
async function ofUser(userId: UserId, generation: number, storage: DeliveryStorage): Promise<readonly Logout[]> {
  const participants = await storage.sessions.participantsOfUser(userId, generation)
  const recipients = await recipientsAmong(participants, storage)
  return recipients.flatMap(({ clientId, needsSession }): readonly Logout[] => {
    if (!needsSession)
      return [{ clientId, content: { sub: userId, sid: null }, occasion: ['user', userId, generation] }]
    const own = participants.filter((participant) => participant.clientId === clientId)
    return own.map(({ sessionId }) => logoutOfSession(clientId, userId, sessionId))
  })
}

const logoutOfSession = (clientId: ClientId, userId: UserId, sessionId: SessionId): Logout => ({
  clientId,
  content: { sub: userId, sid: sessionId },
  occasion: ['session', sessionId],
})

/** Those that have registered an address for logout tokens and still exist. */
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
