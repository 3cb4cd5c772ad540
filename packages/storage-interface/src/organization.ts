import { organizationId, userId, type OrganizationId, type UserId, type EpochSeconds } from './values.ts'
import type { InsertOutcome, SwapOutcome } from './outcome.ts'
import {
  defineRecord,
  erased,
  id,
  integer,
  key,
  list,
  optional,
  text,
  time,
  type RecordOf,
} from './records/define-record.ts'

/** Organizations. */
export const organizations = defineRecord(
  'organizations',
  {
    organizationId: key(id(organizationId)),
    displayName: erased(text),
    createdAt: time,
    updatedAt: time,
    /** Advances by one with each change of the organization itself. Starts at 1. */
    version: integer,
  },
  { storedOnly: { removedAt: optional(time) } },
)

/** A customer, a company or a team: a set of users that the host defines. */
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

/** `absent`: the organization or the user does not exist. */
export type MembershipInsertOutcome =
  InsertOutcome | { readonly outcome: 'absent'; readonly missing: 'organization' | 'user' }

/** Organizations and their members. Law: a removed organization or user has no memberships, and an identifier is never used twice. */
export interface OrganizationStore {
  insert(organization: OrganizationRecord): Promise<InsertOutcome>

  find(organizationId: OrganizationId): Promise<OrganizationRecord | undefined>

  /** Returns at most `limit` organizations whose identifiers come after `after`, in the order of their identifiers. */
  list(page: {
    readonly after: OrganizationId | undefined
    readonly limit: number
  }): Promise<readonly OrganizationRecord[]>

  /** Law: of two writers who read the same version, one gets `conflict`. The stored version becomes `version + 1`. */
  compareAndSwap(organization: OrganizationRecord, version: number): Promise<SwapOutcome<OrganizationRecord>>

  /** Removes an organization and, as `removeMember` does, revokes everything that was issued to its members for it. */
  remove(
    organizationId: OrganizationId,
    now: EpochSeconds,
  ): Promise<{ readonly outcome: 'removed' } | { readonly outcome: 'absent' }>

  /** Law: a user is a member of an organization at most once. */
  insertMember(membership: MembershipRecord): Promise<MembershipInsertOutcome>

  compareAndSwapMember(membership: MembershipRecord, version: number): Promise<SwapOutcome<MembershipRecord>>

  /**
   * Removes a member. Law: the user's families for the organization are revoked in the same step. Families that are inserted
   * concurrently are revoked too once this has returned.
   * `DELETE FROM memberships WHERE …; UPDATE families SET revoked_at = ? WHERE issuer = ? AND organization_id = ? AND user_id = ? AND revoked_at IS NULL`
   */
  removeMember(
    organizationId: OrganizationId,
    userId: UserId,
    now: EpochSeconds,
  ): Promise<{ readonly outcome: 'removed' } | { readonly outcome: 'absent' }>

  /**
   * Revokes what was issued to the users for the organization, whether they are members or not. Law: the families that were inserted
   * before the call are revoked once it has returned, all of them or none, and no others.
   * @param request at most 100 users.
   */
  revokeTokens(request: {
    readonly organizationId: OrganizationId
    readonly userIds: readonly UserId[]
    readonly now: EpochSeconds
  }): Promise<void>

  findMember(organizationId: OrganizationId, userId: UserId): Promise<MembershipRecord | undefined>

  /** Returns at most `limit` members whose identifiers come after `after`, in the order of their identifiers, without removed users. */
  listMembers(page: {
    readonly organizationId: OrganizationId
    readonly after: UserId | undefined
    readonly limit: number
  }): Promise<readonly MembershipRecord[]>

  /** Returns all memberships of a user, in the order of the organizations' identifiers. */
  listByUser(userId: UserId): Promise<readonly MembershipRecord[]>
}
