import { groupId, providerId, type GroupId, type ProviderId, type JsonObject, type EpochSeconds } from './values.ts'
import type { RemovalOutcome } from './provisioned-user.ts'
import type { Abortable, ListOutcome, ListQuery } from './resource-list.ts'
import {
  defineRecord,
  id,
  integer,
  json,
  key,
  optional,
  searchable,
  text,
  time,
  type RecordOf,
} from './records/define-record.ts'

/** The state of a group as its provider sends it, without the members. */
export interface GroupState {
  readonly externalId: string | undefined
  readonly displayName: string
  /** The SCIM resource without `id`, `externalId`, `members` and `meta`. */
  readonly resource: JsonObject
  /** The form of `resource` that filters and sorting compare. */
  readonly comparable: JsonObject
}

/** Groups. */
export const groups = defineRecord(
  'groups',
  {
    groupId: key(id(groupId)),
    providerId: id(providerId),
    externalId: optional(text),
    displayName: text,
    /** The SCIM resource without `id`, `externalId`, `members` and `meta`. */
    resource: json,
    createdAt: time,
    updatedAt: time,
    /** Advances by one with each change of the group or of its members. Starts at 1. */
    version: integer,
  },
  // Lookups use `externalIdKey` and `displayNameKey`, because the strings themselves may be too long for an index.
  { storedOnly: { externalIdKey: optional(text), displayNameKey: optional(text), comparable: searchable } },
)

/** A group of an identity provider. Its members are read separately: there may be tens of thousands. */
export interface GroupRecord extends RecordOf<typeof groups> {}

/** A member of a group: a user or a group of the same provider. Identifiers of both are random, so no two are equal. */
export interface GroupMember {
  /** A `UserId` or a `GroupId`. */
  readonly memberId: string
  readonly type: 'User' | 'Group'
}

/**
 * A change of the members. A `delta` needs no version: deltas can be applied in any order, and no delta is lost. A member that is
 * in both lists is added.
 */
export type MemberChange =
  | { readonly kind: 'delta'; readonly add: readonly string[]; readonly remove: readonly string[] }
  | { readonly kind: 'replace'; readonly memberIds: readonly string[] }

/** A new group, with its members. */
export interface NewGroup {
  readonly providerId: ProviderId
  readonly groupId: GroupId
  readonly state: GroupState
  readonly memberIds: readonly string[]
  readonly createdAt: EpochSeconds
}

/**
 * `conflict` takes precedence over every outcome but `absent`. `unchanged`: the change has no state, and the members already are
 * as requested; version and time do not change. A state is always written, even if it is the same. `memberUnknown`: a member to
 * be added does not belong to the provider or is the group itself, and nothing was written; `memberId` is one of them.
 */
export type GroupChangeOutcome =
  | { readonly outcome: 'swapped'; readonly record: GroupRecord }
  | { readonly outcome: 'unchanged'; readonly record: GroupRecord }
  | { readonly outcome: 'conflict' }
  | { readonly outcome: 'absent' }
  | { readonly outcome: 'taken'; readonly key: 'externalId' }
  | { readonly outcome: 'memberUnknown'; readonly memberId: string }

/** How members are listed. */
interface MembersOptions extends Abortable {
  /**
   * The maximum number of members to return. Groups are returned whole: the result ends before the first group that would exceed
   * the limit. The first group is always returned, however large it is. Without a limit, all groups are returned.
   */
  readonly limit?: number | undefined
}

/**
 * Groups. Law: every method works on one provider. A group of another provider is `absent` and in no list, and users of another
 * provider cannot be members of a group.
 */
export interface GroupStore {
  /**
   * Law: `externalId` is unique among the groups of a provider. A group cannot be its own direct member, but may contain itself
   * through other groups. A store may accept or refuse the identifier of a removed group: identifiers are random and not reused.
   */
  insert(
    group: NewGroup,
  ): Promise<
    | { readonly outcome: 'inserted'; readonly record: GroupRecord }
    | { readonly outcome: 'taken'; readonly key: 'id' | 'externalId' }
    | { readonly outcome: 'memberUnknown'; readonly memberId: string }
  >

  find(providerId: ProviderId, groupId: GroupId): Promise<GroupRecord | undefined>

  findByExternalId(providerId: ProviderId, externalId: string): Promise<GroupRecord | undefined>

  /**
   * Returns the direct members of each group, in the order of their identifiers; a group of another provider has none.
   * Law: removed users and groups, and users who were released by the provider, are members of no group.
   */
  membersOf(
    providerId: ProviderId,
    groupIds: readonly GroupId[],
    options?: MembersOptions,
  ): Promise<ReadonlyMap<GroupId, readonly GroupMember[]>>

  /** Counts the members of all the groups together, up to a limit; a group of another provider has none. */
  countMembers(providerId: ProviderId, groupIds: readonly GroupId[], atMost: number): Promise<number>

  /**
   * Counts, for each user or group in `memberIds`, the groups that it is a direct member of, except `excludedGroup`.
   * @returns the largest of these numbers, at most `atMost`.
   */
  countMemberships(query: {
    readonly providerId: ProviderId
    readonly memberIds: readonly string[]
    /** The group that is not counted. */
    readonly excludedGroup: GroupId
    readonly atMost: number
  }): Promise<number>

  /**
   * Changes the group and its members in one step. `state` and `members` are left unchanged when undefined.
   * Law: a change is written completely or not at all, and no concurrent delta is lost.
   */
  change(change: {
    readonly providerId: ProviderId
    readonly groupId: GroupId
    /** The version that the row must have; `undefined` for any version, which is safe for deltas. */
    readonly version: number | undefined
    readonly state: GroupState | undefined
    readonly members: MemberChange | undefined
    readonly now: EpochSeconds
  }): Promise<GroupChangeOutcome>

  /** Removes the group with its members, and removes it from the groups that it is a member of; each of these gets a new version. */
  remove(change: {
    readonly providerId: ProviderId
    readonly groupId: GroupId
    readonly version: number | undefined
    readonly now: EpochSeconds
  }): Promise<RemovalOutcome>

  list(query: ListQuery): Promise<ListOutcome<GroupRecord>>
}
