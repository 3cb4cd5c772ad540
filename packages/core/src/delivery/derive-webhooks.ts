import { elapsed, encodeBase64url, randomIdentifier, sha256, type Random } from '@mintmark/internal'
import { after, type DeliveryStorage, type EpochSeconds, type JsonObject } from '@mintmark/storage-interface'
import {
  changeRetention,
  type ChangeRecord,
  type ChangeStore,
  type NewDelivery,
  type WebhookRecord,
  type WebhookStore,
} from '@mintmark/storage-interface/stores'

import type { Journal } from '../events.ts'
import { eventsOf } from './security-events.ts'
import { deadRetention, deliveryLifetime } from './derive-logouts.ts'
import type { DeliverySource } from './worker.ts'

/** A storage that records changes for webhooks. */
export type WebhookStorage = DeliveryStorage & { readonly changes: ChangeStore; readonly webhooks: WebhookStore }

export interface DeriveWebhooksDependencies {
  readonly storage: WebhookStorage
  readonly random: Random
  readonly journal: Pick<Journal, 'recordWithoutRequest'>
}

/** The name of the channel of webhooks. */
export const webhookChannel = 'webhook'

/**
 * Reads the next changes for each webhook, and enqueues a message for each change that the webhook subscribes to. Each
 * webhook has its own position in the list of changes. Any number of processes may do this, and may stop at any point:
 * the position moves after the messages were enqueued, and a message that was enqueued before is not enqueued again.
 * @returns the highest position that was read, and whether there is more.
 */
export async function deriveWebhooks(
  now: EpochSeconds,
  deps: DeriveWebhooksDependencies,
): Promise<{ readonly position: number; readonly more: boolean }> {
  const webhooks = await deps.storage.webhooks.list()
  const read = await Promise.all(
    webhooks
      .filter(({ disabledAt, stream }) => disabledAt === undefined && stream?.delivery !== 'poll')
      .map((webhook) => deriveForWebhook(webhook, now, deps)),
  )
  return {
    position: Math.max(0, ...read.map(({ position }) => position)),
    more: read.some(({ more }) => more),
  }
}

/** Returns the name of the position of a webhook or a stream in the list of changes. A replay starts again with its own position. */
export const streamConsumer = ({ webhookId, replays }: Pick<WebhookRecord, 'webhookId' | 'replays'>): string =>
  `${webhookChannel}:${webhookId}:${replays}`

async function deriveForWebhook(webhook: WebhookRecord, now: EpochSeconds, deps: DeriveWebhooksDependencies) {
  const { changes, cursors, deliveries } = deps.storage
  const consumer = streamConsumer(webhook)
  const cursor = await cursors.read(consumer)
  const { position, readAt, version } = cursor ?? { position: webhook.startsAfter, readAt: now, version: 0 }
  if (now > readAt + changeRetention)
    deps.journal.recordWithoutRequest({ type: 'delivery.gap', channel: webhookChannel, since: readAt })

  const page = await changes.list({ after: position, limit: pageSize })
  const messages = page.flatMap((change) => messagesOf(change, webhook))
  if (messages.length > 0) await deliveries.enqueue(await Promise.all(messages.map(toDelivery)))
  const more = page.length === pageSize
  const last = page.at(-1)?.position ?? position
  const isStale = cursor === undefined || now >= readAt + refreshEvery
  if (last > position || isStale)
    await cursors.compareAndSwap({ consumer, position: last, readAt: more ? readAt : now }, version)
  return { position: last, more }

  async function toDelivery({ change, event, place }: Message): Promise<NewDelivery> {
    const { webhookId, replays, stream } = webhook
    const message = [webhookChannel, webhookId, replays, change.changeId, ...(event === undefined ? [] : [event])]
    return {
      ...deliveryTo(webhookId, event === undefined ? contentOf(change) : { ...contentOf(change), event }, now),
      // Identifiers sort by time, then by the position of the change.
      deliveryId: `${padNumber(now, 11)}-${padNumber(change.position, 14)}-${randomIdentifier(deps.random)}`,
      dedupeKey: encodeBase64url(await sha256(JSON.stringify(message))),
      // Messages about one user, or else about one group, are sent in order; all events of a stream are (SSF 1.0 §7).
      lane: stream === undefined ? laneOf(change, webhook) : webhookId,
      sequence: replays * replaySpan + change.position * messagesOfChange + place,
    }
  }
}

/** A partner's SCIM service stores memberships with the group, a webhook learns of them in order with the user. */
const laneOf = ({ userId, groupId }: ChangeRecord, { webhookId, target }: WebhookRecord): string =>
  `${webhookId} ${(target === undefined ? (userId ?? groupId) : (groupId ?? userId)) ?? ''}`

/** Returns what every message to a webhook or a stream has in common. */
export function deliveryTo(webhookId: string, content: JsonObject, now: EpochSeconds) {
  const expiresAt = after(now, deliveryLifetime)
  return {
    channel: webhookChannel,
    recipient: webhookId,
    content,
    createdAt: now,
    expiresAt,
    keptUntil: after(expiresAt, deadRetention),
  }
}

/** A message about a change; with the event that it becomes on a stream. */
interface Message {
  readonly change: ChangeRecord
  readonly event?: string
  /** Its place among the messages about the same change, from 0. */
  readonly place: number
}

/** More than a change has events. */
const messagesOfChange = 8

function messagesOf(change: ChangeRecord, { types, stream, target }: WebhookRecord): readonly Message[] {
  // Sessions and grants are not provisioned.
  if (target !== undefined && !/^(?:user|group|membership)\./.test(change.type)) return []
  if (stream !== undefined) return eventsOf(change, stream).map((event, place) => ({ change, event, place }))
  return types.length === 0 || types.includes(change.type) ? [{ change, place: 0 }] : []
}

/** Creates the message to the receiver of a pushed stream that asked for a verification event (SSF 1.0 §8.1.4). */
export function verificationDelivery(verification: {
  readonly jti: string
  readonly webhookId: string
  readonly content: JsonObject
  /** The position of the last change: the event is sent after those before it. */
  readonly position: number
  readonly now: EpochSeconds
}): NewDelivery {
  const { jti, webhookId, content, position, now } = verification
  return {
    ...deliveryTo(webhookId, content, now),
    deliveryId: `${padNumber(now, 11)}-${padNumber(position, 14)}-${jti}`,
    dedupeKey: jti,
    lane: webhookId,
    sequence: (position + 1) * messagesOfChange - 1,
  }
}

const padNumber = (number: number, length: number): string => String(number).padStart(length, '0')

/** The number of changes in a page. */
const pageSize = 100

/** In seconds: how often `readAt` is written while the position does not change. */
const refreshEvery = 300

/** Larger than any position, so that the messages of a replay are sent after all earlier messages. */
const replaySpan = 2 ** 40

/** Returns identifiers and attribute names, but no values, because rows of deliveries are kept for up to a month. */
export const contentOf = (change: ChangeRecord): JsonObject => ({
  changeId: change.changeId,
  type: change.type,
  changedAt: change.changedAt,
  userId: change.userId ?? null,
  groupId: change.groupId ?? null,
  clientId: change.clientId ?? null,
  sessionId: change.sessionId ?? null,
  grantId: change.grantId ?? null,
  names: [...change.names],
})

/** Watches for changes while there are webhooks. */
export function watchChanges({ changes, webhooks }: WebhookStorage): DeliverySource {
  let version = 0
  let position = 0
  let nextListAt = -Infinity
  let hasWebhooks = false
  let knownWebhooks = '[]'

  const noteSeen = (seen: number): void => {
    if (seen === position) return
    position = seen
    version += 1
  }
  return {
    version: () => version,
    position: () => position,
    noteSeen: (seen) => noteSeen(Math.max(seen, position)),
    async poll() {
      if (elapsed() >= nextListAt) {
        nextListAt = elapsed() + listInterval
        const list = await webhooks.list()
        // A webhook that is new or starts a replay may have to send changes that were seen before.
        const known = JSON.stringify(list.map((webhook) => [webhook.webhookId, webhook.version]))
        if (known !== knownWebhooks) version += 1
        knownWebhooks = known
        hasWebhooks = list.length > 0
      }
      if (hasWebhooks) noteSeen(await changes.lastPosition())
    },
  }
}

/** In milliseconds: how often the list of webhooks is read, even by a server that has none. */
const listInterval = 5000
