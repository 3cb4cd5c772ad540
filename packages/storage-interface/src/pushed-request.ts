import { clientId, secretDigest, type ClientId, type SecretDigest, type EpochSeconds } from './values.ts'
import type { ConsumeOutcome, InsertOutcome } from './outcome.ts'
import { defineRecord, id, jsonOf, key, list, optional, text, time, type RecordOf } from './records/define-record.ts'

/** Pushed authorization requests. */
export const pushedRequests = defineRecord(
  'pushedRequests',
  {
    /** Digest of the random part of the `request_uri`. */
    digest: key(id(secretDigest)),
    clientId: id(clientId),
    /** The parameters of the authorization request that the server knows, each at most once. */
    parameters: jsonOf<Readonly<Record<string, string>>>(),
    /** The `resource` parameter, the only one that may repeat (RFC 8707 §2). */
    resources: list(text),
    /** A browser must first open the request before this time. Its interaction can then continue until `expiresAt`. */
    usableUntil: time,
    createdAt: time,
    expiresAt: time,
  },
  { storedOnly: { consumedAt: optional(time) } },
)

/**
 * An authorization request that its client sent in advance (RFC 9126). Its parameters are kept, and checked again when a browser
 * arrives: the results of checks are never stored.
 */
export interface PushedRequestRecord extends RecordOf<typeof pushedRequests> {}

/** Pushed authorization requests, by digest. Every method treats a request of another client, or an expired one, as absent. */
export interface PushedRequestStore {
  insert(request: PushedRequestRecord): Promise<InsertOutcome>

  /** Reads a request without consuming it. @returns `consumed` if a code was issued for it. */
  find(
    digest: SecretDigest,
    clientId: ClientId,
    now: EpochSeconds,
  ): Promise<PushedRequestRecord | 'consumed' | undefined>

  /**
   * Law: a code is issued for a request at most once under any interleaving (RFC 9126 §4).
   * `UPDATE pushed_requests SET consumed_at = ? WHERE issuer = ? AND digest = ? AND client_id = ? AND expires_at > ? AND consumed_at IS NULL RETURNING *`
   */
  consume(digest: SecretDigest, clientId: ClientId, now: EpochSeconds): Promise<ConsumeOutcome<PushedRequestRecord>>
}
