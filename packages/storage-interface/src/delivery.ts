import {
  defineRecord,
  integer,
  json,
  key,
  oneOf,
  optional,
  text,
  time,
  type RecordOf,
} from './records/define-record.ts'
import type { EpochSeconds } from './values.ts'

/** Messages to other servers. */
export const deliveries = defineRecord('deliveries', {
  /** Sorts in the order of creation when compared as text. At most 64 letters, digits, dots, hyphens and underscores. */
  deliveryId: key(text),
  /** The same message has the same key, however often it is enqueued. At most 255 ASCII characters. */
  dedupeKey: text,
  /** What is delivered, and how: `logout` for back-channel logout. */
  channel: text,
  /** Who receives it: the `client_id` of a client. */
  recipient: text,
  /** Deliveries of one lane are sent one at a time, in the order of `sequence`. Deliveries without a lane are sent in any order. */
  lane: optional(text),
  sequence: optional(integer),
  /** The message, without signatures or secrets: each attempt signs it again. */
  content: json,
  /** `dead`: the recipient refused it, or did not answer in time. */
  state: oneOf('pending', 'delivered', 'dead'),
  /** How many attempts have ended. */
  attempts: integer,
  createdAt: time,
  /** When the next attempt may begin. While a worker has leased the delivery: when the lease ends. */
  dueAt: time,
  /** From this time on, no attempt is made. */
  expiresAt: time,
  /** From this time on it may be purged, in any state. */
  keptUntil: time,
  /** The token of the latest lease. Only the worker that has it may settle the delivery. */
  leaseToken: optional(text),
  /** Why the last attempt failed. */
  lastFailure: optional(text),
  /** When it was delivered or abandoned. */
  settledAt: optional(time),
})

/** A message to another server, which is sent until it is delivered or abandoned. */
export interface DeliveryRecord extends RecordOf<typeof deliveries> {}

/** A message that has not been sent yet. It is pending, without attempts, and may be sent at once. */
export type NewDelivery = Omit<
  DeliveryRecord,
  'state' | 'attempts' | 'dueAt' | 'leaseToken' | 'lastFailure' | 'settledAt'
>

/** The result of an attempt. */
export type DeliveryResult =
  | { readonly kind: 'delivered'; readonly keptUntil: EpochSeconds }
  | { readonly kind: 'retry'; readonly failure: string; readonly dueAt: EpochSeconds }
  | { readonly kind: 'dead'; readonly failure: string; readonly keptUntil: EpochSeconds }
  /** No attempt was made. */
  | { readonly kind: 'postponed'; readonly dueAt: EpochSeconds }

/** Selects deliveries to lease. */
export interface LeaseRequest {
  readonly channel: string
  readonly now: EpochSeconds
  /** When the lease ends. Another worker may then lease the delivery. */
  readonly until: EpochSeconds
  /** Random, and different for each call. */
  readonly token: string
  /** The maximum number of deliveries. */
  readonly limit: number
  /** The maximum number of deliveries to one recipient, so that a recipient that does not answer cannot use up the limit. */
  readonly perRecipient: number
  /** Recipients whose deliveries are not leased now. */
  readonly except: readonly string[]
}

/** Selects a page of deliveries. */
export interface DeliveryQuery {
  readonly state: DeliveryRecord['state']
  /** `undefined` for all recipients. */
  readonly recipient: string | undefined
  /** The `deliveryId` of the last delivery of the previous page; `undefined` for the first page. */
  readonly before: string | undefined
  readonly limit: number
}

/** How much there is to deliver. */
export interface DeliveryCounts {
  /** At most `countLimit`. */
  readonly pending: number
  /** At most `countLimit`. */
  readonly dead: number
  /** When the oldest pending delivery was enqueued. */
  readonly oldestPendingAt: EpochSeconds | undefined
}

/** Counting stops at this number, so that a count never reads a large table. */
export const countLimit = 10_000

export type SettleOutcome = { readonly outcome: 'settled' } | { readonly outcome: 'lost' }

export type RequeueOutcome =
  { readonly outcome: 'requeued' } | { readonly outcome: 'unchanged' } | { readonly outcome: 'absent' }

/**
 * Messages to other servers. A worker leases deliveries that are due, sends each, and settles it. If a worker dies, its leases end
 * after a time. So each message is sent at least once, and sometimes more than once.
 */
export interface DeliveryStore {
  /**
   * Inserts deliveries. Law: a delivery is not inserted while another one with the same `dedupeKey` exists, in whatever state.
   * `INSERT … ON CONFLICT (issuer, dedupe_key) DO NOTHING`
   * @returns how many were inserted. The call may be interrupted between two of them: call it again.
   */
  enqueue(deliveries: readonly NewDelivery[]): Promise<{ readonly inserted: number }>

  /**
   * Leases deliveries that are due, in the order in which they became due.
   * Law: a delivery has one lease at a time; after its lease has ended, it is due again. Law: of the pending deliveries of a lane,
   * only the first by `sequence` is leased.
   * PostgreSQL: `SELECT … FOR UPDATE SKIP LOCKED`; SQLite: one `UPDATE … RETURNING`.
   * @returns the deliveries as they are now, with their lease.
   */
  lease(request: LeaseRequest): Promise<readonly DeliveryRecord[]>

  /** Returns when the next pending delivery is due, leased or not; `undefined` if nothing is pending. */
  nextDueAt(channel: string): Promise<EpochSeconds | undefined>

  /**
   * Ends a lease. Law: if the token does not belong to the latest lease of the delivery, the outcome is `lost` and nothing changes.
   * `UPDATE deliveries SET … WHERE delivery_id = ? AND lease_token = ? AND state = 'pending'`
   */
  settle(settlement: {
    readonly deliveryId: string
    readonly token: string
    readonly result: DeliveryResult
    readonly now: EpochSeconds
  }): Promise<SettleOutcome>

  /** Makes a dead delivery pending again, with no attempts. `unchanged` if it is not dead. */
  requeue(request: {
    readonly deliveryId: string
    readonly now: EpochSeconds
    readonly expiresAt: EpochSeconds
    readonly keptUntil: EpochSeconds
  }): Promise<RequeueOutcome>

  find(deliveryId: string): Promise<DeliveryRecord | undefined>

  /** Returns at most `limit` deliveries of one state, newest first. */
  list(query: DeliveryQuery): Promise<readonly DeliveryRecord[]>

  counts(): Promise<DeliveryCounts>
}
