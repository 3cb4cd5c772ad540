import type { DeliveryStorage } from '@mintmark/storage-interface'
import { isDeliveryStorage } from '@mintmark/storage-interface/stores'

import type { PingOutbox } from './authorize/decoupled-request.ts'
import { maxPending } from './delivery/attempts.ts'
import { reportUnattended } from './delivery/deliver-after-requests.ts'
import {
  deriveWebhooks,
  type DeriveWebhooksDependencies,
  watchChanges,
  webhookChannel,
  type WebhookStorage,
} from './delivery/derive-webhooks.ts'
import { createPings, type PingDependencies } from './delivery/pings.ts'
import { sendWebhook, type SendWebhookDependencies } from './delivery/send-webhook.ts'
import {
  combineWorkers,
  createChannelWorker,
  createDeliveryWorker,
  type DeliveryWorker,
  type DeliveryWorkerDependencies,
} from './delivery/worker.ts'
import type { AuthorizationServerOptions } from './options.ts'
import { createOutboundClient } from './outbound/client.ts'
import type { ServerSettings } from './settings.ts'

/** Whether messages are sent after requests, although nobody calls `deliver`. */
export const sendsAfterRequests = ({
  backChannelLogout,
}: {
  readonly backChannelLogout?: AuthorizationServerOptions['backChannelLogout']
}): boolean =>
  backChannelLogout === undefined || backChannelLogout === false || backChannelLogout.afterRequests !== false

/** What sends messages to others. Both are `undefined` if there is nothing to send, or the storage keeps no deliveries. */
interface Deliveries {
  readonly worker: DeliveryWorker | undefined
  /** Notifies clients of the decisions of users (CIBA). */
  readonly pings: PingOutbox | undefined
}

/** Creates the worker that sends logout tokens, webhooks, security events and the notifications of CIBA. */
export function createDeliveries(
  { storage, keys, fetch, backChannelLogout, ciba, provisioning }: AuthorizationServerOptions,
  settings: ServerSettings,
  deps: Pick<DeliveryWorkerDependencies, 'clock' | 'random' | 'journal' | 'watch' | 'encrypt'> &
    Pick<PingDependencies, 'notificationSeal'>,
): Deliveries {
  if (!isDeliveryStorage(storage)) return { worker: undefined, pings: undefined }
  const outboundTo = (limits: Partial<typeof deliveryLimits> = {}) =>
    createOutboundClient(fetch, {
      ...deliveryLimits,
      ...limits,
      allowedOrigins: settings.allowedOrigins,
      elapsed: () => deps.clock() * 1000,
    })
  const given = backChannelLogout === false ? undefined : backChannelLogout?.waitUntil
  const waitUntil = given ?? (sendsAfterRequests({ backChannelLogout }) ? reportUnattended(deps.journal) : undefined)
  const common = { ...deps, issuer: settings.issuer, keys, waitUntil }
  const logouts = settings.backChannelLogout
    ? createDeliveryWorker({ ...common, storage, outbound: outboundTo() })
    : undefined
  // Called after sign-outs, and after revocations by the administration and SCIM through the same storage object.
  if (logouts !== undefined) storage.onSessionsRevoked?.(logouts.nudge)
  const changes = hasWebhooks(storage)
    ? createWebhookWorker({ ...common, storage, provisioning, outbound: outboundTo({ pendingPerHost: 8 }) })
    : undefined
  const pings =
    ciba === undefined ? undefined : createPings({ ...common, storage, outbound: outboundTo({ pendingPerHost: 8 }) })
  const workers = [logouts, changes, pings?.worker].filter((worker) => worker !== undefined)
  return { worker: workers.length === 0 ? undefined : combineWorkers(workers), pings: pings?.outbox }
}

const hasWebhooks = <Storage extends DeliveryStorage>(storage: Storage): storage is Storage & WebhookStorage =>
  storage.changes !== undefined && storage.webhooks !== undefined

const createWebhookWorker = (
  deps: SendWebhookDependencies & DeriveWebhooksDependencies & Pick<DeliveryWorkerDependencies, 'waitUntil'>,
): DeliveryWorker =>
  createChannelWorker(
    {
      name: webhookChannel,
      watch: watchChanges(deps.storage),
      perRecipient: 8,
      derive: (now) => deriveWebhooks(now, deps),
      send: (delivery) => sendWebhook(delivery, deps),
    },
    deps,
  )

/** Failed messages are sent again, so each host gets few at a time, and none for a minute after 20 failures. */
const deliveryLimits = { pending: maxPending, pendingPerHost: 2, breaker: { failures: 20, openFor: 60_000 } }
