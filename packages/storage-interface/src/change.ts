import { clientId, grantId, groupId, seconds, sessionId, userId, type DurationSeconds } from './values.ts'
import {
  defineRecord,
  id,
  integer,
  list,
  oneOf,
  optional,
  text,
  time,
  key,
  type RecordOf,
} from './records/define-record.ts'

/** The types of changes that are recorded for webhooks. */
export const changeTypes = [
  'user.created',
  'user.changed',
  'user.deactivated',
  'user.reactivated',
  'user.access_revoked',
  'user.removed',
  'group.created',
  'group.changed',
  'group.removed',
  'membership.added',
  'membership.removed',
  'session.ended',
  'grant.created',
  'grant.revoked',
] as const

/** Changes of users, groups, memberships, sessions and grants. */
export const changes = defineRecord(
  'changes',
  {
    /** Random. The same change has the same identifier in every delivery. */
    changeId: key(text),
    /** Later changes have greater positions, from 1; there may be gaps. */
    position: integer,
    type: oneOf(...changeTypes),
    userId: optional(id(userId)),
    groupId: optional(id(groupId)),
    clientId: optional(id(clientId)),
    sessionId: optional(id(sessionId)),
    grantId: optional(id(grantId)),
    /**
     * The names of the claims or members that changed, in no particular order, without their values; empty if an identity provider
     * changed only attributes of a user that are no claims.
     */
    names: list(text),
    changedAt: time,
  },
  { storedOnly: { sequence: integer } },
)

/** A recorded change. It has identifiers and names, but no values. */
export interface ChangeRecord extends RecordOf<typeof changes> {}

/** How long a store keeps a change. */
export const changeRetention: DurationSeconds = seconds(30 * 86_400)

/**
 * Changes in the order in which they happened, for webhooks.
 *
 * Law: while the issuer has a webhook, the methods of the other stores that change users, groups, memberships, sessions and grants
 * record the changes in the same atomic step. Nothing is recorded while the issuer has no webhook, or by a call that changes nothing.
 */
export interface ChangeStore {
  /**
   * Returns the first `limit` changes after a position. Law: once a change was listed, no other change is listed before it, so a
   * reader that continues after the last listed change misses none. Changes of the same user or group are in the order in which they
   * happened. If a database does not make transactions visible in the order of their numbers, the store assigns positions when it
   * lists.
   */
  list(page: { readonly after: number; readonly limit: number }): Promise<readonly ChangeRecord[]>

  /** Returns the position of the last change that was listed; 0 before the first. */
  lastPosition(): Promise<number>
}
