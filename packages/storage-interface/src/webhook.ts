import type { InsertOutcome, SwapOutcome } from './outcome.ts'
import { defineRecord, flag, integer, key, list, optional, text, time, type RecordOf } from './records/define-record.ts'

/** Endpoints of webhooks. */
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
  disabledAt: optional(time),
  createdAt: time,
  updatedAt: time,
  /** Advances by one with each change. Starts at 1. */
  version: integer,
})

/** An endpoint of the host that receives changes. */
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
