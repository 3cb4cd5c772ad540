import { authenticationFields, type Possession } from './authorization-code.ts'
import type { InsertOutcome } from './outcome.ts'
import {
  defineRecord,
  id,
  integer,
  json,
  jsonOf,
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
import {
  clientId,
  familyId,
  grantId,
  organizationId,
  secretDigest,
  sessionId,
  userId,
  type ClientId,
  type EpochSeconds,
  type SecretDigest,
} from './values.ts'

/** The members of an `ApprovalRecord`. */
export const approvalFields = {
  grantId: id(grantId),
  /** The token family that redemption will create, so that a replay can revoke the family. */
  familyId: id(familyId),
  userId: id(userId),
  scopes: list(text),
  resources: list(text),
  authorizationDetails: list(json),
  authentication: object(authenticationFields),
  boundSessionId: optional(id(sessionId)),
  organizationId: optional(id(organizationId)),
}

/** What a user approved, in the form in which tokens are issued for it. */
export interface ApprovalRecord extends RecordOfFields<typeof approvalFields> {}

/** Requests that a user approves on another device than the one that made them. */
export const decoupledRequests = defineRecord(
  'decoupledRequests',
  {
    /** Digest of the `device_code` (RFC 8628), or of the `auth_req_id` (CIBA Core 1.0). */
    digest: key(id(secretDigest)),
    kind: oneOf('device', 'ciba'),
    /** Keyed digest of the code that a user enters: the code itself is too short for a digest without a key. */
    userCodeDigest: optional(id(secretDigest)),
    clientId: id(clientId),
    scopes: list(text),
    resources: list(text),
    authorizationDetails: list(json),
    acrValues: list(text),
    /** The user whom the client named (CIBA Core 1.0 §7.1), and their generation then; nobody else may approve. */
    userId: optional(id(userId)),
    userGeneration: optional(integer),
    bindingMessage: optional(text),
    /** Where the request came from, for the page on which the user decides. */
    askedFrom: optional(text),
    /** The key that the client proved. The same key is needed to redeem the request. */
    possession: jsonOf<Possession>(),
    /** How the client wants to be notified of the decision (CIBA Core 1.0 §10.2), sealed. */
    notification: optional(text),
    status: oneOf('pending', 'approved', 'denied'),
    /** Present when the status is `approved`. */
    approval: optional(object(approvalFields)),
    /** The number of seconds between two polls. Polls that come too early raise it. */
    pollInterval: integer,
    /** The last poll that did not come too early. */
    lastPolledAt: optional(time),
    /** From then on, the request can be neither decided nor redeemed, and polls are told that it has expired. */
    usableUntil: time,
    createdAt: time,
    /** From then on, the request is absent. */
    expiresAt: time,
  },
  { storedOnly: { consumedAt: optional(time) } },
)

/** A request of a device (RFC 8628) or of a client that named the user (CIBA Core 1.0). */
export interface DecoupledRequestRecord extends RecordOf<typeof decoupledRequests> {}

/** What a user decided. */
export type Decision =
  { readonly status: 'approved'; readonly approval: ApprovalRecord } | { readonly status: 'denied' }

/** `decided` for the one decision that counts. `conflict`: the request was decided before. */
export type DecideOutcome =
  | { readonly outcome: 'decided'; readonly record: DecoupledRequestRecord }
  | { readonly outcome: 'conflict' }
  | { readonly outcome: 'expired' }
  | { readonly outcome: 'absent' }

/**
 * The outcome of a poll (RFC 8628 §3.5). Only one poll gets `won`; later ones get `replayed`, with the record that the winner
 * received. `slow_down`: the poll came too early, and the interval is longer now.
 */
export type PollOutcome =
  | { readonly outcome: 'won' | 'replayed'; readonly record: DecoupledRequestRecord }
  | { readonly outcome: 'pending' | 'slow_down' | 'denied' | 'expired' | 'absent' }

/** Requests that are approved on another device, by the digest of the client's code. */
export interface DecoupledRequestStore {
  /** @returns `taken` also if another stored request has the same user code: the caller draws another one. */
  insert(request: DecoupledRequestRecord): Promise<InsertOutcome>

  /** Reads a request, whatever its status, until it is absent. */
  find(digest: SecretDigest, now: EpochSeconds): Promise<DecoupledRequestRecord | undefined>

  /** Finds the request that waits for a decision under this user code. A request that was decided, or has expired, is not found. */
  findByUserCode(userCodeDigest: SecretDigest, now: EpochSeconds): Promise<DecoupledRequestRecord | undefined>

  /** Law: a request is decided at most once under any interleaving, and only while `now < usableUntil`. */
  decide(request: {
    readonly digest: SecretDigest
    readonly decision: Decision
    readonly now: EpochSeconds
  }): Promise<DecideOutcome>

  /**
   * Law: at most one poll gets `won`, under any interleaving, and only for the client that made the request and while
   * `now < usableUntil`. A poll of another client is `absent` and changes nothing.
   *
   * A pending request answers `pending` and records the time, unless the last recorded poll is less than `pollInterval` seconds ago,
   * with a tolerance of one second. Then it raises the interval by 5 seconds, to at most 60, and leaves the recorded time: a client
   * that waits for the interval is always heard (RFC 8628 §3.5). A decided request has no interval.
   */
  poll(request: {
    readonly digest: SecretDigest
    readonly clientId: ClientId
    readonly now: EpochSeconds
  }): Promise<PollOutcome>
}

/**
 * Returns the interval after a poll of a pending request; `undefined` if the poll did not come too early. Stores share the rule.
 */
export function slowedInterval(
  { lastPolledAt, pollInterval }: Pick<DecoupledRequestRecord, 'lastPolledAt' | 'pollInterval'>,
  now: EpochSeconds,
): number | undefined {
  const isEarly = lastPolledAt !== undefined && now < lastPolledAt + pollInterval - 1
  return isEarly ? Math.max(pollInterval, Math.min(pollInterval + 5, 60)) : undefined
}
