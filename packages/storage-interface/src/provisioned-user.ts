import { providerId, type GroupId, type ProviderId, type UserId } from './identifiers.ts'
import type { JsonObject, JsonText } from './json.ts'
import type { ListOutcome, ListQuery } from './resource-list.ts'
import type { EpochSeconds } from './time.ts'
import { users } from './user.ts'
import { defineRecord, flag, id, jsonText, optional, searchable, text, type RecordOf } from './records/define-record.ts'

/** What a provider says about a person: written together, in one write with the kill switch. */
export interface ProvisionedState {
  readonly active: boolean
  readonly externalId: string | undefined
  /** The SCIM resource without `id`, `externalId`, `active`, `groups` and `meta`; no password. Stores do not look into it. */
  readonly resource: JsonText
  /**
   * Names the definition of the resource type under which `resource`, as it stands, is what an answer shows of it. Undefined
   * when an answer would leave something out. Stores keep it beside the text, and do not look into it either.
   */
  readonly resourceForm: string | undefined
  /**
   * The comparable form of `resource`. It has a `userName`, which is unique within the provider. Texts, here and in a filter, are
   * well-formed Unicode without U+0000; `userName` and `externalId` are of at most 1024 characters. Whoever parses them sees to
   * it, as not every database can hold others.
   */
  readonly comparable: JsonObject
  /** What is known of the person, by OIDC claim name. */
  readonly claims: JsonObject
}

/** A group that a person belongs to. */
export interface GroupReference {
  readonly groupId: GroupId
  readonly displayName: string
}

/**
 * Users of identity providers: rows of `users`, whose provisioning columns are all NULL for a user that has no provider. `groups` of
 * the record is read from the groups' members and has no column.
 */
export const provisionedUsers = defineRecord(
  'users',
  {
    ...users.fields,
    providerId: id(providerId),
    externalId: optional(text),
    /** Whether the user existed before the provider claimed it: then the provider's removal only unlinks and deactivates the user. */
    adopted: flag,
    resource: jsonText,
    resourceForm: optional(text),
  },
  {
    storedOnly: {
      ...users.storedOnly,
      // The keys are what is unique: the texts themselves may be too long for an index.
      externalIdKey: optional(text),
      userNameKey: optional(text),
      comparable: searchable,
    },
  },
)

/**
 * A user as their identity provider sees them. It is the row of `UserRecord`: deactivating it here or there is the same write, and
 * its version and times are the same.
 */
export interface ProvisionedUserRecord extends RecordOf<typeof provisionedUsers> {
  /** The groups of the provider that the user is a direct member of, by identifier. */
  readonly groups: readonly GroupReference[]
}

/** An account as lists tell of it: what an answer shows. A page has a hundred, and nobody asks for the claims of all. */
export type ListedUserRecord = Omit<ProvisionedUserRecord, 'claims'>

/** Which of the keys of a new or changed account belongs to another one. `id` is named before `externalId`, that before `userName`. */
export type TakenKey = 'id' | 'externalId' | 'userName'

/**
 * `conflict`: the row does not carry the version that the caller read; it is told before `taken`. Nothing is written but by
 * `swapped`.
 */
export type ProvisionOutcome =
  | { readonly outcome: 'swapped'; readonly record: ProvisionedUserRecord }
  | { readonly outcome: 'conflict' }
  | { readonly outcome: 'absent' }
  | { readonly outcome: 'taken'; readonly key: TakenKey }

/** What an account of a provider starts with. */
export interface NewProvisionedUser {
  readonly providerId: ProviderId
  readonly userId: UserId
  readonly state: ProvisionedState
  readonly createdAt: EpochSeconds
}

/** A change of one account of a provider. */
export interface ProvisionedUserChange {
  readonly providerId: ProviderId
  readonly userId: UserId
  /** The version that the caller read. */
  readonly version: number
  readonly state: ProvisionedState
  readonly now: EpochSeconds
}

/**
 * Accounts of identity providers. Law: every method is about one provider; an account of another is `absent`, is in no list,
 * and takes no key. A deactivated account is found and listed; a removed one is not. The provider's own record is not looked at.
 */
export interface ProvisionedUserStore {
  /**
   * An account with generation 0 and version 1. Law: `userName` and `externalId` are each held by one account of a provider,
   * and an identifier is used once, ever, as `UserStore.insert` has it.
   */
  insert(
    user: NewProvisionedUser,
  ): Promise<
    | { readonly outcome: 'inserted'; readonly record: ProvisionedUserRecord }
    | { readonly outcome: 'taken'; readonly key: TakenKey }
  >

  find(providerId: ProviderId, userId: UserId): Promise<ProvisionedUserRecord | undefined>

  findByExternalId(providerId: ProviderId, externalId: string): Promise<ProvisionedUserRecord | undefined>

  /**
   * Replaces what the provider says, all of it. Law: clearing `active` advances the generation by one in the same write, and
   * nothing else does: from that moment nothing that was issued to the person before is honoured.
   * `UPDATE users SET active = ?, generation = generation + (CASE WHEN active AND NOT ? THEN 1 ELSE 0 END), … WHERE … AND version = ?`
   */
  compareAndSwap(change: ProvisionedUserChange): Promise<ProvisionOutcome>

  /** As `compareAndSwap`, for an account that has no provider yet: it becomes this provider's, and `adopted`. */
  adopt(change: ProvisionedUserChange): Promise<ProvisionOutcome>

  /**
   * Ends the link with the provider and all memberships, deactivates the account and advances its generation, also when it was
   * inactive before: nothing of the time with the provider is honoured after. The account and its claims stay.
   */
  release(change: RemovalRequest): Promise<RemovalOutcome>

  /**
   * As `UserStore.remove`, and that is as this: the identifier stays taken, `userName` and `externalId` do not, and all
   * memberships end. Each group that it was in changes.
   */
  remove(change: RemovalRequest): Promise<RemovalOutcome>

  list(query: ListQuery): Promise<ListOutcome<ListedUserRecord>>
}

/** Which account goes. */
export interface RemovalRequest {
  readonly providerId: ProviderId
  readonly userId: UserId
  /** The version that it must have; `undefined` for any. */
  readonly version: number | undefined
  readonly now: EpochSeconds
}

/** `removed` for the one caller who did it. */
export type RemovalOutcome =
  { readonly outcome: 'removed' } | { readonly outcome: 'conflict' } | { readonly outcome: 'absent' }
