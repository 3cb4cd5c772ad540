import type { InsertOutcome, SwapOutcome } from './outcome.ts'
import {
  defineRecord,
  flag,
  id,
  integer,
  key,
  list,
  object,
  oneOf,
  optional,
  text,
  time,
  type RecordOf,
  type RecordOfFields,
} from './records/define-record.ts'
import { clientId, providerId, userId } from './values.ts'

const streamFields = {
  /** The client that receives the events; it owns the stream. */
  clientId: id(clientId),
  /** `push`: to `url`, with the first of `secrets` as Authorization header, if there is one. `poll`: the receiver fetches them. */
  delivery: oneOf('push', 'poll'),
  /** The URIs of the event types that the receiver asked for. */
  eventsRequested: list(text),
  description: optional(text),
  /** While it is `paused`, events are kept. */
  status: oneOf('enabled', 'paused', 'disabled'),
  statusReason: optional(text),
  /** Users whose events the receiver does not want. */
  removedUserIds: list(id(userId)),
  /** The `jti` of events of a polled stream that were acknowledged before earlier ones. */
  acknowledged: list(text),
  /** A verification event that the receiver of a polled stream asked for and has not acknowledged. */
  verification: optional(object({ jti: text, state: optional(text) })),
  /** When the receiver last asked for a verification event. */
  verifiedAt: optional(time),
}

const targetFields = {
  displayName: text,
  /** The identity providers whose users and groups are provisioned. */
  providerIds: list(id(providerId)),
  /** Whether users without an identity provider are provisioned too. */
  includesHostUsers: flag,
  /** What happens to the partner's user when ours is removed, or is no longer provisioned. */
  onRemoval: oneOf('deactivate', 'delete'),
  /** Whether a user of the partner with the same `userName`, or a group with the same name, becomes ours. */
  adoptsExisting: flag,
}

/**
 * Endpoints of webhooks, and what is sent the same changes in another form: streams of security events, and the SCIM services
 * of partners.
 */
export const webhooks = defineRecord('webhooks', {
  webhookId: key(text),
  url: text,
  /** The types of changes that are sent; empty for all. */
  types: list(text),
  /** Whether messages contain the user as it is when they are sent, in addition to the identifiers. */
  includesUser: flag,
  /** The sealed secrets, newest first. Messages are signed with each of them. */
  secrets: list(text),
  /** Changes after this position are sent. */
  startsAfter: integer,
  /** How many times the webhook was set back to an earlier position. */
  replays: integer,
  /** A stream of security events (Shared Signals Framework); `undefined` for a webhook. */
  stream: optional(object(streamFields)),
  /** A partner's SCIM service, at `url`; `undefined` for a webhook. */
  target: optional(object(targetFields)),
  disabledAt: optional(time),
  createdAt: time,
  updatedAt: time,
  /** Advances by one with each change. Starts at 1. */
  version: integer,
})

/** The part of a stream of security events that a webhook does not have. */
export interface StreamRecord extends RecordOfFields<typeof streamFields> {}

/** The part of a partner's SCIM service that a webhook does not have. */
export interface ProvisioningTargetRecord extends RecordOfFields<typeof targetFields> {}

/** An endpoint of the host that receives changes, a stream of security events, or a partner's SCIM service. */
export interface WebhookRecord extends RecordOf<typeof webhooks> {}

/** Endpoints of webhooks, by identifier. */
export interface WebhookStore {
  insert(webhook: WebhookRecord): Promise<InsertOutcome>
  find(webhookId: string): Promise<WebhookRecord | undefined>
  /** Returns all webhooks in the order of their identifiers. */
  list(): Promise<readonly WebhookRecord[]>
  /** Law: of two writers who read the same version, one gets `conflict`. The stored version becomes `version + 1`. */
  compareAndSwap(webhook: WebhookRecord, version: number): Promise<SwapOutcome<WebhookRecord>>
  /** Removes a webhook. Its identifier may be used again. */
  remove(webhookId: string): Promise<{ readonly outcome: 'removed' } | { readonly outcome: 'absent' }>
}
