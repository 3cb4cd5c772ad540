import { type Clock, elapsed } from '@mintmark/internal'
import { after, clientId, type DeliveryRecord, type DeliveryStorage, seconds } from '@mintmark/storage-interface'
import { type DeliveryResult, secretDigest } from '@mintmark/storage-interface/stores'

import { decoupledStore, type PingOutbox } from '../authorize/decoupled-request.ts'
import type { NotificationSeal } from '../decoupled/notification.ts'
import type { OutboundClient } from '../outbound/client.ts'
import { deadRetention, newDeliveryId } from './derive-logouts.ts'
import { giveUp, postMessage, retry } from './post-message.ts'
import { createChannelWorker, type ChannelDependencies, type DeliverySource, type DeliveryWorker } from './worker.ts'

export interface PingDependencies extends ChannelDependencies {
  readonly storage: DeliveryStorage
  readonly clock: Clock
  readonly outbound: OutboundClient
  readonly notificationSeal: NotificationSeal
}

/** The name of the channel of notifications that a user has decided (CIBA Core 1.0 §10.2). */
const pingChannel = 'ciba_ping'

/** Creates the worker that sends notifications, and the outbox that it reads. */
export function createPings(deps: PingDependencies): { readonly worker: DeliveryWorker; readonly outbox: PingOutbox } {
  const worker = createChannelWorker(
    {
      name: pingChannel,
      watch: watchOutbox(deps),
      perRecipient: 8,
      // Decisions enqueue the notifications.
      derive: () => Promise.resolve({ position: 0, more: false }),
      send: (delivery) => sendPing(delivery, deps),
    },
    deps,
  )
  return { worker, outbox: createOutbox(deps, worker.nudge) }
}

const createOutbox = ({ storage, random }: PingDependencies, nudge: () => void): PingOutbox => ({
  async enqueue({ digest, clientId: recipient, usableUntil }, now) {
    const delivery = {
      deliveryId: newDeliveryId(now, random),
      // One notification for each request, however often somebody decides.
      dedupeKey: `${pingChannel}:${digest}`,
      channel: pingChannel,
      recipient,
      lane: undefined,
      sequence: undefined,
      // Neither the auth_req_id nor the token: both are sealed in the request.
      content: { digest },
      createdAt: now,
      expiresAt: usableUntil,
      keptUntil: after(usableUntil, deadRetention),
    }
    await storage.deliveries.enqueue([delivery])
  },
  nudge,
})

/** Sends a notification (CIBA Core 1.0 §10.2). @returns the result of the attempt. */
async function sendPing(delivery: DeliveryRecord, deps: PingDependencies): Promise<DeliveryResult> {
  const { storage, clock, notificationSeal } = deps
  const now = clock()
  if (now >= delivery.expiresAt) return giveUp(delivery.lastFailure ?? 'expired', now)
  const { digest } = delivery.content
  const request = typeof digest === 'string' ? await decoupledStore(storage).find(secretDigest(digest), now) : undefined
  if (request?.notification === undefined) return giveUp('request_gone', now)
  // The notification is enqueued before the decision. If the process that decided was killed, the user decides again.
  if (request.status === 'pending') return { kind: 'postponed', dueAt: after(now, decisionWait) }
  const client = await storage.clients.find(clientId(delivery.recipient))
  // The client has since been removed or disabled, or no longer has an address for notifications.
  if (client?.backchannelClientNotificationEndpoint === undefined || client.disabledAt !== undefined)
    return giveUp('client_gone', now)
  const notification = await notificationSeal.open(request.notification, request.digest)
  // A server with the sealing key can send it later.
  if (notification === undefined) return retry(delivery, { failure: 'sealing_key_missing', now })

  const message = {
    url: client.backchannelClientNotificationEndpoint,
    headers: { authorization: `Bearer ${notification.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ auth_req_id: notification.authReqId }),
    // CIBA Core 1.0 §10.2: redirects are not followed. A client that refuses the notification would refuse it again.
    isFinal: (status: number) => status < 500,
    deliveredRetention,
  }
  return postMessage(delivery, message, deps)
}

/** In seconds: how long a notification waits for its decision, before the server looks again. */
const decisionWait = seconds(2)

/** Longer than a request lives. Until then, the `dedupeKey` keeps the notification from being enqueued again. */
const deliveredRetention = seconds(86_400)

/** Notices notifications that other processes enqueued. */
function watchOutbox({ storage, clock }: PingDependencies): DeliverySource {
  let version = 0
  let nextLookAt = -Infinity
  return {
    version: () => version,
    position: () => 0,
    noteSeen: () => {},
    async poll() {
      if (elapsed() < nextLookAt) return
      nextLookAt = elapsed() + lookInterval
      const dueAt = await storage.deliveries.nextDueAt(pingChannel)
      if (dueAt !== undefined && dueAt <= clock()) version += 1
    },
  }
}

/** In milliseconds: how long a notification of another process may wait. */
const lookInterval = 1000
