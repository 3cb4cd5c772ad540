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

/** What a provider says about a group, apart from its members. */
export interface GroupState {
  readonly externalId: string | undefined
  readonly displayName: string
  /** The SCIM resource without `id`, `externalId`, `members` and `meta`. */
  readonly resource: JsonObject
  /** The comparable form of `resource`. */
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
  // Lookups use the keys, because the texts themselves may be too long for an index.
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
 * A change of the members. A `delta` commutes with other deltas: it needs no version, and none is lost. A member in
 * both lists is
 * added.
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
 * `conflict` takes precedence over every outcome but `absent`. `unchanged`: no state was given and the members were
 * already so; version
 * and time do not change. A given state is always written. `memberUnknown`: a member to be added does not belong to the
 * provider or is
 * the group itself, and nothing was written.
 */
export type GroupChangeOutcome =
  | { readonly outcome: 'swapped'; readonly record: GroupRecord }
  | { readonly outcome: 'unchanged'; readonly record: GroupRecord }
  | { readonly outcome: 'conflict' }
  | { readonly outcome: 'absent' }
  | { readonly outcome: 'taken'; readonly key: 'externalId' }
  | { readonly outcome: 'memberUnknown' }

/** How members are listed. */
interface MembersOptions extends Abortable {
  /**
   * The number of members to return, in whole groups: the answer stops before the first group that would exceed it. The
   * first group is always returned, however large it is. Without a limit all groups are returned.
   */
  readonly limit?: number | undefined
}

/** Groups. Law: every method is about one provider; a group of another is `absent` and in no list, and its users are members of no group of this one. */
export interface GroupStore {
  /**
   * Law: `externalId` is unique among the groups of a provider. A group may contain itself only through other groups.
   * The store decides
   * whether the identifier of a removed group stays taken: identifiers are random.
   */
  insert(
    group: NewGroup,
  ): Promise<
    | { readonly outcome: 'inserted'; readonly record: GroupRecord }
    | { readonly outcome: 'taken'; readonly key: 'id' | 'externalId' }
    | { readonly outcome: 'memberUnknown' }
  >

  find(providerId: ProviderId, groupId: GroupId): Promise<GroupRecord | undefined>

  findByExternalId(providerId: ProviderId, externalId: string): Promise<GroupRecord | undefined>

  /**
   * The direct members of each of the groups, in the order of their identifiers; a group of another provider has none.
   * Law: removed users and groups, and users who were released by the provider, are members of no group.
   */
  membersOf(
    providerId: ProviderId,
    groupIds: readonly GroupId[],
    options?: MembersOptions,
  ): Promise<ReadonlyMap<GroupId, readonly GroupMember[]>>

  /** The number of members of all the groups together, counted up to a limit; a group of another provider has none. */
  countMembers(providerId: ProviderId, groupIds: readonly GroupId[], atMost: number): Promise<number>

  /**
   * The largest number of groups that one of the users or groups is a direct member of, beside the named group, counted up
   * to a limit.
   */
  countMemberships(asked: {
    readonly providerId: ProviderId
    readonly memberIds: readonly string[]
    /** A group that does not count. */
    readonly beside: GroupId
    readonly atMost: number
  }): Promise<number>

  /**
   * Changes the group and its members in one step. `state` or `members` stay as they are when undefined.
   * Law: it is written as a whole or not at all, and concurrent deltas are all carried out.
   */
  change(change: {
    readonly providerId: ProviderId
    readonly groupId: GroupId
    /** The version that the row must have; `undefined` for any, which is safe for deltas. */
    readonly version: number | undefined
    readonly state: GroupState | undefined
    readonly members: MemberChange | undefined
    readonly now: EpochSeconds
  }): Promise<GroupChangeOutcome>

  /** The group, its members' membership, and its own membership in other groups: each of those changes. */
  remove(change: {
    readonly providerId: ProviderId
    readonly groupId: GroupId
    readonly version: number | undefined
    readonly now: EpochSeconds
  }): Promise<RemovalOutcome>

  list(query: ListQuery): Promise<ListOutcome<GroupRecord>>
}
