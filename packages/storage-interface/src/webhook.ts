import type { InsertOutcome, SwapOutcome } from './outcome.ts'
import { defineRecord, flag, integer, key, list, optional, text, time, type RecordOf } from './records/define-record.ts'

/** Endpoints of webhooks. */
export const webhooks = defineRecord('webhooks', {
  webhookId: key(text),
  url: text,
  /** The types of changes that are sent; empty for all. */
  types: list(text),
  /** Whether messages have the user as it is when they are sent, beside the identifiers. */
  includesUser: flag,
  /** Sealed, the newest first: messages are signed with each. */
  secrets: list(text),
  /** Changes after this position are sent. */
  startsAfter: integer,
  /** How often the webhook was set back to an earlier position. */
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
  /** All, in the order of their identifiers. */
  list(): Promise<readonly WebhookRecord[]>
  /** Law: of two writers who read the same version, one gets `conflict`. The stored version becomes `version + 1`. */
  compareAndSwap(webhook: WebhookRecord, version: number): Promise<SwapOutcome<WebhookRecord>>
  /** Its identifier may be used again. */
  remove(webhookId: string): Promise<{ readonly outcome: 'removed' } | { readonly outcome: 'absent' }>
}
