import { organizationId, userId, type OrganizationId, type UserId, type EpochSeconds } from './values.ts'
import type { InsertOutcome, SwapOutcome } from './outcome.ts'
import { defineRecord, id, integer, key, list, optional, text, time, type RecordOf } from './records/define-record.ts'

/** Organizations. */
export const organizations = defineRecord(
  'organizations',
  {
    organizationId: key(id(organizationId)),
    displayName: text,
    createdAt: time,
    updatedAt: time,
    /** Advances by one with each change of the organization itself. Starts at 1. */
    version: integer,
  },
  { storedOnly: { removedAt: optional(time) }, tombstone: { displayName: '' } },
)

/** A customer, a company or a team: a group of users that the host defines. */
export interface OrganizationRecord extends RecordOf<typeof organizations> {}

/** Memberships. */
export const memberships = defineRecord('memberships', {
  organizationId: key(id(organizationId)),
  userId: key(id(userId)),
  /** Names that the host chooses, such as `owner`. */
  roles: list(text),
  createdAt: time,
  updatedAt: time,
  /** Advances by one with each change. Starts at 1. */
  version: integer,
})

/** A user's membership in an organization. */
export interface MembershipRecord extends RecordOf<typeof memberships> {}

/** Which of the two that a membership needs does not exist. */
export type MembershipInsertOutcome =
  InsertOutcome | { readonly outcome: 'absent'; readonly missing: 'organization' | 'user' }

/** Organizations and their members. Law: a removed organization or user has no memberships, and an identifier is used once, ever. */
export interface OrganizationStore {
  insert(organization: OrganizationRecord): Promise<InsertOutcome>

  find(organizationId: OrganizationId): Promise<OrganizationRecord | undefined>

  /** At most `limit` in the order of their identifiers, after `after`. */
  list(page: {
    readonly after: OrganizationId | undefined
    readonly limit: number
  }): Promise<readonly OrganizationRecord[]>

  /** Law: of two writers who read the same version, one gets `conflict`. The stored version becomes `version + 1`. */
  compareAndSwap(organization: OrganizationRecord, version: number): Promise<SwapOutcome<OrganizationRecord>>

  /** Revokes what was issued to its members for it, as `removeMember`. */
  remove(
    organizationId: OrganizationId,
    now: EpochSeconds,
  ): Promise<{ readonly outcome: 'removed' } | { readonly outcome: 'absent' }>

  /** Law: a user is a member of an organization at most once. */
  insertMember(membership: MembershipRecord): Promise<MembershipInsertOutcome>

  compareAndSwapMember(membership: MembershipRecord, version: number): Promise<SwapOutcome<MembershipRecord>>

  /**
   * Law: the families of the user for the organization are revoked in the same step, and those that were inserted
   * concurrently are revoked once this has answered.
   * `DELETE FROM memberships WHERE …; UPDATE families SET revoked_at = ? WHERE issuer = ? AND organization_id = ? AND user_id = ? AND revoked_at IS NULL`
   */
  removeMember(
    organizationId: OrganizationId,
    userId: UserId,
    now: EpochSeconds,
  ): Promise<{ readonly outcome: 'removed' } | { readonly outcome: 'absent' }>

  findMember(organizationId: OrganizationId, userId: UserId): Promise<MembershipRecord | undefined>

  /** At most `limit` members in the order of their identifiers, after `after`. Removed users are not among them. */
  listMembers(page: {
    readonly organizationId: OrganizationId
    readonly after: UserId | undefined
    readonly limit: number
  }): Promise<readonly MembershipRecord[]>

  /** All memberships of a user, in the order of the organizations' identifiers. */
  listByUser(userId: UserId): Promise<readonly MembershipRecord[]>
}
