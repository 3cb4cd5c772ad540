import {
  after,
  type DeliveryRecord,
  type EpochSeconds,
  type JsonObject,
  seconds,
  userId,
} from '@mintmark/storage-interface'
import type { DeliveryResult, WebhookRecord } from '@mintmark/storage-interface/stores'

import { giveUp, postMessage, retry } from './post-message.ts'
import type { OutboundClient } from '../outbound/client.ts'
import { sendSecurityEvent, type SendEventDependencies } from './send-security-event.ts'
import { openWebhookSecret } from './webhook-secrets.ts'

export interface SendWebhookDependencies extends SendEventDependencies {
  /** The option `provisioning`. */
  readonly provisioning: ProvisioningSender | undefined
}

/** Sends what follows from a change to a partner's SCIM service: `createProvisioning` of `@mintmark/provisioning`. */
export interface ProvisioningSender {
  /**
   * Brings the partner's resource of a user or a group to the present state. It is called again after a failure, and for
   * every change, so it does nothing if nothing is left to do.
   */
  readonly send: (
    subject: ProvisionedSubject,
    partner: {
      readonly target: WebhookRecord
      /** The credential of the target, as it was sealed. */
      readonly credential: string
      readonly outbound: OutboundClient
    },
  ) => Promise<ProvisioningResult>
}

/** What a change is about. A membership has both identifiers. */
export interface ProvisionedSubject {
  readonly userId: string | undefined
  readonly groupId: string | undefined
  /** Whether all members of the group are compared, and not only what a change names. */
  readonly isComplete: boolean
}

/**
 * `waiting`: the partner does not have another resource yet that this one refers to. `failed`: an attempt may succeed
 * later, at the earliest after `retryAfter` seconds. `refused`: it may not, until an administrator requeues the message.
 */
export type ProvisioningResult =
  | { readonly outcome: 'done' | 'waiting' }
  | { readonly outcome: 'failed' | 'refused'; readonly failure: string; readonly retryAfter?: number }

/** Sends a change to a webhook, signed as Standard Webhooks 1.0.0 describes. @returns the result of the attempt. */
export async function sendWebhook(delivery: DeliveryRecord, deps: SendWebhookDependencies): Promise<DeliveryResult> {
  const now = deps.clock()
  if (now >= delivery.expiresAt) return giveUp(delivery.lastFailure ?? 'expired', now)
  const webhook = await deps.storage.webhooks.find(delivery.recipient)
  if (webhook === undefined) return giveUp('webhook_gone', now)
  if (webhook.stream !== undefined) return sendSecurityEvent(delivery, { webhook, stream: webhook.stream }, deps)
  if (webhook.disabledAt !== undefined) return { kind: 'postponed', dueAt: after(now, disabledWait) }

  if (webhook.target !== undefined) return provision(delivery, webhook, deps)

  const message = toMessage(delivery)
  const body = JSON.stringify({ ...message.body, data: await withUser(message.body.data, webhook, deps) })
  const opened = await Promise.all(
    webhook.secrets.map((sealed) =>
      openWebhookSecret(sealed, { issuer: deps.issuer, webhookId: webhook.webhookId }, deps.keys),
    ),
  )
  const secrets = opened.filter((secret) => secret !== undefined)
  // A server with the sealing key can send the message later. A receiver might refuse a message that is signed with only
  // one of two secrets.
  if (secrets.length < opened.length) return retry(delivery, { failure: 'sealing_key_missing', now })
  return postMessage(
    delivery,
    {
      url: webhook.url,
      headers: {
        'content-type': 'application/json',
        'webhook-id': message.id,
        'webhook-timestamp': String(now),
        'webhook-signature': await signaturesOf(`${message.id}.${now}.${body}`, secrets),
      },
      body,
      // Standard Webhooks: 410 means that the endpoint no longer exists. After other statuses, a later attempt may succeed.
      isFinal: (status) => status === 410,
      deliveredRetention,
    },
    deps,
  )
}

/** Sends a change to a partner's SCIM service. */
async function provision(
  delivery: DeliveryRecord,
  target: WebhookRecord,
  { provisioning, outbound, keys, issuer, clock }: SendWebhookDependencies,
): Promise<DeliveryResult> {
  if (provisioning === undefined) return retry(delivery, { failure: 'provisioning_missing', now: clock() })
  const [sealed = ''] = target.secrets
  const credential = await openWebhookSecret(sealed, { issuer, webhookId: target.webhookId }, keys)
  if (credential === undefined) return retry(delivery, { failure: 'sealing_key_missing', now: clock() })
  const { userId: user, groupId: group, isComplete } = delivery.content as SubjectContent
  const subject = { userId: user ?? undefined, groupId: group ?? undefined, isComplete: isComplete === true }
  const result = await provisioning.send(subject, { target, credential, outbound })
  const now = clock()
  switch (result.outcome) {
    case 'done':
      return { kind: 'delivered', keptUntil: after(now, deliveredRetention) }
    case 'waiting':
      return { kind: 'postponed', dueAt: after(now, waitForOther) }
    case 'refused':
      return giveUp(result.failure, now)
    case 'failed':
      return retry(delivery, { failure: result.failure, now, atLeast: result.retryAfter ?? 0 })
    default:
      return result satisfies never
  }
}

/** How long a message waits for a resource that it refers to. */
const waitForOther = seconds(10)

/**
 * How long a delivered message is kept. During this time, its `dedupeKey` keeps it from being enqueued again. If it is
 * enqueued again later, a receiver recognises it by its identifier.
 */
const deliveredRetention = seconds(172_800)

/** In seconds: how long a message to a disabled webhook is postponed. */
const disabledWait = seconds(300)

interface Message {
  /** The same in every attempt and in a replay, so that receivers recognise a message that they already have. */
  readonly id: string
  readonly body: { readonly type: string; readonly timestamp: string; readonly data: JsonObject }
}

function toMessage({ content }: DeliveryRecord): Message {
  const { changeId, type, changedAt, names, ...ids } = content as Content
  const data = Object.entries({
    user_id: ids.userId,
    group_id: ids.groupId,
    client_id: ids.clientId,
    session_id: ids.sessionId,
    grant_id: ids.grantId,
  }).filter(([, id]) => id !== null)
  const attributes = type.endsWith('.changed') ? { attributes: names.toSorted() } : {}
  return {
    id: changeId,
    body: {
      type,
      timestamp: new Date(changedAt * 1000).toISOString(),
      data: { ...Object.fromEntries(data), ...attributes },
    },
  }
}

/** The part of the content of a delivery that a partner's SCIM service needs. */
interface SubjectContent extends JsonObject {
  readonly userId: string | null
  readonly groupId: string | null
  readonly isComplete?: boolean
}

/** The content of a delivery, as `deriveWebhooks` enqueues it. */
interface Content extends JsonObject {
  readonly changeId: string
  readonly type: string
  readonly changedAt: EpochSeconds
  readonly userId: string | null
  readonly groupId: string | null
  readonly clientId: string | null
  readonly sessionId: string | null
  readonly grantId: string | null
  readonly names: string[]
}

/**
 * Adds the user's current state, or null if the user was removed. A receiver that stores it has the newest state, even
 * if messages are repeated.
 */
async function withUser(
  data: JsonObject,
  { includesUser }: WebhookRecord,
  { storage }: SendWebhookDependencies,
): Promise<JsonObject> {
  const id = data['user_id']
  if (!includesUser || typeof id !== 'string') return data
  const user = await storage.users.find(userId(id))
  if (user === undefined) return { ...data, user: null }
  const { active, claims, version } = user
  return { ...data, user: { user_id: id, active, claims, version } }
}

/** Signs with each secret, so that receivers can verify with the old or the new one while a secret is replaced. */
async function signaturesOf(content: string, secrets: readonly string[]): Promise<string> {
  const signed = await Promise.all(
    secrets.map(async (secret) => {
      const bytes = Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (character) => character.charCodeAt(0))
      const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
      const signature = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(content))
      return `v1,${btoa(String.fromCharCode(...new Uint8Array(signature)))}`
    }),
  )
  return signed.join(' ')
}
