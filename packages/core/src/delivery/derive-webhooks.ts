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
import { deadRetention, deliveryLifetime } from './derive-logouts.ts'
import type { DeliverySource } from './worker.ts'

/** A storage that records changes for webhooks. */
export type WebhookStorage = DeliveryStorage & { readonly changes: ChangeStore; readonly webhooks: WebhookStore }

export interface DeriveWebhooksDependencies {
  readonly storage: WebhookStorage
  readonly random: Random
  readonly journal: Pick<Journal, 'announce'>
}

/** The channel of webhooks. */
export const webhookChannel = 'webhook'

/**
 * Reads the next changes, and enqueues a message for each webhook that gets them. Each webhook has a position of its own. Any number
 * of processes may do so, and stop anywhere: the position moves after the page was enqueued, and a message that was enqueued before is
 * not enqueued again.
 */
export async function deriveWebhooks(
  now: EpochSeconds,
  deps: DeriveWebhooksDependencies,
): Promise<{ readonly position: number; readonly more: boolean }> {
  const webhooks = await deps.storage.webhooks.list()
  const read = await Promise.all(
    webhooks.filter(({ disabledAt }) => disabledAt === undefined).map((webhook) => deriveOf(webhook, now, deps)),
  )
  return {
    position: Math.max(0, ...read.map(({ position }) => position)),
    more: read.some(({ more }) => more),
  }
}

async function deriveOf(webhook: WebhookRecord, now: EpochSeconds, deps: DeriveWebhooksDependencies) {
  const { changes, cursors, deliveries } = deps.storage
  // A replay begins anew, with a position of its own.
  const consumer = `${webhookChannel}:${webhook.webhookId}:${webhook.replays}`
  const cursor = await cursors.read(consumer)
  const { position, readAt, version } = cursor ?? { position: webhook.startsAfter, readAt: now, version: 0 }
  if (now > readAt + changeRetention)
    deps.journal.announce({ type: 'delivery.gap', channel: webhookChannel, since: readAt })

  const page = await changes.list({ after: position, limit: pageSize })
  const wanted = page.filter(({ type }) => webhook.types.length === 0 || webhook.types.includes(type))
  if (wanted.length > 0) await deliveries.enqueue(await Promise.all(wanted.map(toDelivery)))
  const more = page.length === pageSize
  const last = page.at(-1)?.position ?? position
  const isStale = cursor === undefined || now >= readAt + refreshEvery
  if (last > position || isStale)
    await cursors.compareAndSwap({ consumer, position: last, readAt: more ? readAt : now }, version)
  return { position: last, more }

  async function toDelivery(change: ChangeRecord): Promise<NewDelivery> {
    const { webhookId, replays } = webhook
    const expiresAt = after(now, deliveryLifetime)
    return {
      // In the order of time, and of changes.
      deliveryId: `${digits(now, 11)}-${digits(change.position, 14)}-${randomIdentifier(deps.random)}`,
      dedupeKey: encodeBase64url(await sha256(JSON.stringify([webhookChannel, webhookId, replays, change.changeId]))),
      channel: webhookChannel,
      recipient: webhookId,
      // Messages about one user, or else about one group, are sent in order.
      lane: `${webhookId} ${change.userId ?? change.groupId ?? ''}`,
      sequence: replays * replaySpan + change.position,
      content: contentOf(change),
      createdAt: now,
      expiresAt,
      keptUntil: after(expiresAt, deadRetention),
    }
  }
}

const digits = (number: number, length: number): string => String(number).padStart(length, '0')

/** In changes. */
const pageSize = 100

/** In seconds: how often the time of an unchanged position is written. */
const refreshEvery = 300

/** More than a position ever is: messages of a replay follow those before it. */
const replaySpan = 2 ** 40

/** Identifiers and names, and no values: rows of deliveries are kept for a month. */
const contentOf = (change: ChangeRecord): JsonObject => ({
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

/** Notices changes, while there are webhooks. */
export function watchChanges({ changes, webhooks }: WebhookStorage): DeliverySource {
  let version = 0
  let position = 0
  let looksAt = -Infinity
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
      if (elapsed() >= looksAt) {
        looksAt = elapsed() + lookForWebhooksEvery
        const list = await webhooks.list()
        // A webhook that was set back has changes to send that were seen before.
        const known = JSON.stringify(list.map((webhook) => [webhook.webhookId, webhook.version]))
        if (known !== knownWebhooks) version += 1
        knownWebhooks = known
        hasWebhooks = list.length > 0
      }
      if (hasWebhooks) noteSeen(await changes.lastPosition())
    },
  }
}

/** In milliseconds: what a host without webhooks pays. */
const lookForWebhooksEvery = 5000
