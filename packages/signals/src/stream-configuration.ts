import { isOutboundUrl, securityEvents } from '@mintmark/core/internal'
import { isStorable, isJsonObject } from '@mintmark/internal'
import type { JsonObject, JsonValue } from '@mintmark/storage-interface'
import type { StreamRecord, WebhookRecord } from '@mintmark/storage-interface/stores'

import { refuse } from './refusals.ts'

/** A stored stream: a webhook record that has a stream. */
export interface Stream extends WebhookRecord {
  readonly stream: StreamRecord
}

export const isStream = (webhook: WebhookRecord | undefined): webhook is Stream => webhook?.stream !== undefined

const push = 'urn:ietf:rfc:8935'
const poll = 'urn:ietf:rfc:8936'
/** Identifiers of the delivery methods (SSF 1.0 §6.1, §10). */
export const deliveryMethods = [push, poll] as const

/** What a receiver may choose about its stream. Members that are undefined were not sent. */
interface StreamChoices {
  readonly eventsRequested: readonly string[] | undefined
  readonly description: string | undefined
  readonly delivery: DeliveryChoice | undefined
}

type DeliveryChoice =
  | { readonly kind: 'push'; readonly url: string; readonly authorization: string | undefined }
  | { readonly kind: 'poll' }

/**
 * Reads the members of a stream configuration that the receiver supplies (SSF 1.0 §8.1.1). Event types that this server does not send
 * stay in `events_requested`, as they were sent, and are kept out of `events_delivered`; the receiver sees that.
 * @throws SignalError `configuration_invalid` | `endpoint_invalid`.
 */
export function readChoices(body: JsonObject, allowedOrigins: readonly string[]): StreamChoices {
  const { events_requested: events, description, delivery } = body
  return {
    eventsRequested: events === undefined ? undefined : readEvents(events),
    description:
      description === undefined ? undefined : readText(description, { member: 'description', maxLength: 1000 }),
    delivery: delivery === undefined ? undefined : readDelivery(delivery, allowedOrigins),
  }
}

function readEvents(value: JsonValue): readonly string[] {
  const member = 'events_requested'
  if (!Array.isArray(value) || value.length > 100) throw refuse('configuration_invalid', { member })
  return [...new Set(value.map((each: JsonValue) => readText(each, { member, maxLength: 512 })))]
}

/** Reads a text that every store keeps unchanged. @throws SignalError `configuration_invalid`. */
export function readText(
  value: JsonValue,
  { member, maxLength }: { readonly member: string; readonly maxLength: number },
): string {
  if (typeof value !== 'string' || value.length > maxLength || !isStorable(value))
    throw refuse('configuration_invalid', { member })
  return value
}

function readDelivery(value: JsonValue, allowedOrigins: readonly string[]): DeliveryChoice {
  if (!isJsonObject(value)) throw refuse('configuration_invalid', { member: 'delivery' })
  const { method, endpoint_url: url, authorization_header: authorization } = value
  // RFC 8936: this server chooses the address that is polled.
  if (method === poll) return { kind: 'poll' }
  if (method !== push) throw refuse('configuration_invalid', { member: 'delivery.method' })
  if (typeof url !== 'string') throw refuse('configuration_invalid', { member: 'delivery.endpoint_url' })
  // RFC 9700 §4.15: a receiver must not make this server send requests into the host's network.
  if (url.length > 2000 || !isOutboundUrl(url, allowedOrigins)) throw refuse('endpoint_invalid')
  const isHeader = typeof authorization === 'string' && /^[\x20-\x7e]{1,4000}$/.test(authorization)
  if (authorization !== undefined && !isHeader)
    throw refuse('configuration_invalid', { member: 'delivery.authorization_header' })
  return { kind: 'push', url, authorization: isHeader ? authorization : undefined }
}

/** @throws SignalError `configuration_invalid` if the body names nothing that this server could compare or change. */
export function refuseNoChange(body: JsonObject): void {
  if (![...receiverSupplied, ...transmitterSupplied].some((name) => body[name] !== undefined))
    throw refuse('configuration_invalid', { member: receiverSupplied.join(', ') })
}

const receiverSupplied = ['events_requested', 'description', 'delivery']

/** Members that only this server sets: a receiver may send them back as they are (SSF 1.0 §8.1.1.3). */
export function refuseOtherIdentity(body: JsonObject, view: JsonObject): void {
  for (const name of transmitterSupplied)
    if (body[name] !== undefined && JSON.stringify(body[name]) !== JSON.stringify(view[name]))
      throw refuse('configuration_invalid', { member: name })
}

const transmitterSupplied = [
  'iss',
  'aud',
  'events_supported',
  'events_delivered',
  'min_verification_interval',
  'inactivity_timeout',
]

/** Renders a stream for its receiver (SSF 1.0 §8.1.1). The credential of the receiver is never returned. */
export function streamView(
  { webhookId, url, stream }: Stream,
  { issuer, pollUrl }: { readonly issuer: string; readonly pollUrl: string },
): JsonObject {
  const { eventsRequested, description, delivery, clientId } = stream
  return {
    stream_id: webhookId,
    iss: issuer,
    aud: clientId,
    delivery: { method: delivery === 'push' ? push : poll, endpoint_url: delivery === 'push' ? url : pollUrl },
    events_supported: [...securityEvents],
    events_requested: [...eventsRequested],
    events_delivered: eventsRequested.filter((event) => securityEvents.includes(event)),
    min_verification_interval: minVerificationInterval,
    ...(description !== undefined && { description }),
  }
}

/** In seconds. */
export const minVerificationInterval = 30
