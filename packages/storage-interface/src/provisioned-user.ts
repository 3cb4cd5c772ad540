import {
  providerId,
  type GroupId,
  type ProviderId,
  type UserId,
  type JsonObject,
  type JsonText,
  type EpochSeconds,
} from './values.ts'
import type { FilterAttribute } from './filter/resolved-filter.ts'
import type { ListOutcome, ListQuery } from './resource-list.ts'
import { users } from './user.ts'
import {
  defineRecord,
  flag,
  id,
  jsonText,
  optional,
  searchable,
  text,
  time,
  type RecordOf,
} from './records/define-record.ts'

/** The state of a user as the provider sends it, written in one step with the kill switch. */
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
   * well-formed Unicode without U+0000; `userName` and `externalId` are of at most 1024 characters. The parser
   * ensures that, because not every database can store others.
   */
  readonly comparable: JsonObject
  /** What is known of the user, by OIDC claim name. */
  readonly claims: JsonObject
}

/** A group that a user belongs to. */
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
      // The keys of a user that a provider removed or released, so that a sign-in does not create the user again.
      formerSince: optional(time),
      formerProviderId: optional(text),
      formerExternalIdKey: optional(text),
      formerUserNameKey: optional(text),
    },
  },
)

/**
 * A user as their identity provider sees them. It is the row of `UserRecord`: deactivating it here or there is the same write, and
 * its version and times are the same.
 */
export interface ProvisionedUserRecord extends RecordOf<typeof provisionedUsers> {
  /**
   * The groups of the provider that the user is a direct member of, by identifier. Undefined when the caller leaves them out; a method
   * that reads one user may still say that there are none.
   */
  readonly groups: readonly GroupReference[] | undefined
}

/** A user in a list: without the claims, which no list response shows. */
export type ListedUserRecord = Omit<ProvisionedUserRecord, 'claims'>

/** An attribute of the host that is indexed. */
export interface IndexedAttribute {
  readonly attribute: FilterAttribute
  /** Of an attribute with several complex values, the part that is indexed. */
  readonly elementPart: string | undefined
  /** Whether its values are texts, which lists look up. Others are indexed only to be unique. */
  readonly isText: boolean
  /** Whether no two users of a provider may have the same value. Values have at most 200 characters. */
  readonly isUnique: boolean
}

/**
 * Which key of a new or changed user belongs to another user: `id`, `externalId`, `userName`, in this order of precedence, or
 * `unique`, the value of an attribute that `indexAttributes` made unique.
 */
export type TakenKey = 'id' | 'externalId' | 'userName' | 'unique'

/**
 * `conflict`: the row does not have the version that the caller read; it takes precedence over `taken`. Only `swapped`
 * writes.
 */
export type ProvisionOutcome =
  | { readonly outcome: 'swapped'; readonly record: ProvisionedUserRecord }
  | { readonly outcome: 'conflict' }
  | { readonly outcome: 'absent' }
  | { readonly outcome: 'taken'; readonly key: TakenKey }

/** A new user of a provider. */
export interface NewProvisionedUser {
  readonly providerId: ProviderId
  readonly userId: UserId
  readonly state: ProvisionedState
  readonly createdAt: EpochSeconds
  /**
   * Whether the user is inserted only if no user with the `externalId` was removed or released.
   * @defaultValue `false`: providers may create a user again, and sign-ins may not.
   */
  readonly unlessRemoved?: boolean
}

/** `removed`: `unlessRemoved` is set, and a user with the `externalId` was removed or released; nothing was written. */
export type InsertUserOutcome =
  | { readonly outcome: 'inserted'; readonly record: ProvisionedUserRecord }
  | { readonly outcome: 'taken'; readonly key: TakenKey }
  | { readonly outcome: 'removed' }

/** `removed` as in `InsertUserOutcome`. */
type AdoptOutcome = ProvisionOutcome | { readonly outcome: 'removed' }

/** A change of one user of a provider. */
export interface ProvisionedUserChange {
  readonly providerId: ProviderId
  readonly userId: UserId
  /** The version that the caller read. */
  readonly version: number
  readonly state: ProvisionedState
  readonly now: EpochSeconds
  /** Leaves the groups out of the record. */
  readonly without?: 'groups'
}

/**
 * Users of identity providers. Law: a user who is inserted or adopted becomes a member, without roles, of the organization of the
 * provider in the same step, if it has one that exists; a membership that exists stays as it is. A user who is released leaves it.
 * Law: every method is about one provider; a user of another is `absent`, is in no list,
 * and takes no key. A deactivated user is found and listed; a removed one is not. The provider's own record is not read.
 */
export interface ProvisionedUserStore {
  /**
   * Indexes attributes, also for the users that exist, and makes some of them unique within each provider. An attribute that
   * was indexed before stays indexed. The first time reads all users of the issuer.
   * @throws TypeError when two users of a provider have the same value of an attribute that becomes unique.
   */
  indexAttributes(attributes: readonly IndexedAttribute[]): Promise<void>

  /**
   * Inserts a user with generation 0 and version 1. Law: `userName` and `externalId` are unique within a provider,
   * and an identifier is used once, ever, as in `UserStore.insert`. Law: a user with the `externalId` or the `userName` of one who was
   * removed while blocked is blocked from the start, also when the removal and the insertion are concurrent. Law: with
   * `unlessRemoved`, no interleaving with removals inserts a user whose `externalId` was removed.
   */
  insert(user: NewProvisionedUser): Promise<InsertUserOutcome>

  /** @param options.without leaves out the groups, of which there may be thousands: only whether there are none is read. */
  find(
    providerId: ProviderId,
    userId: UserId,
    options?: Pick<ListQuery, 'without'>,
  ): Promise<ProvisionedUserRecord | undefined>

  /** @param options as for `find`. */
  findByExternalId(
    providerId: ProviderId,
    externalId: string,
    options?: Pick<ListQuery, 'without'>,
  ): Promise<ProvisionedUserRecord | undefined>

  /** Whether a user of the provider with this `externalId` was removed or released, by the provider or by the host. */
  hasRemoved(providerId: ProviderId, externalId: string): Promise<boolean>

  /**
   * Replaces the whole state. Law: of a blocked user `activeAfterBlock` changes instead of `active`. Law: clearing `active` advances the generation by one in the same write, and
   * nothing else does: from that moment nothing that was issued to the user before is honoured.
   * `UPDATE users SET active = ?, generation = generation + (CASE WHEN active AND NOT ? THEN 1 ELSE 0 END), … WHERE … AND version = ?`
   */
  compareAndSwap(change: ProvisionedUserChange): Promise<ProvisionOutcome>

  /** As `compareAndSwap`, for a user who has no provider yet: the user becomes this provider's, and `adopted`. */
  adopt(change: ProvisionedUserChange & Pick<NewProvisionedUser, 'unlessRemoved'>): Promise<AdoptOutcome>

  /**
   * Removes the link with the provider and all memberships, deactivates the user and advances the generation, also when the user was
   * inactive before: nothing that was issued before is honoured afterwards. The user and the claims stay.
   */
  release(change: RemovalRequest): Promise<RemovalOutcome>

  /**
   * The same as `UserStore.remove`: the identifier stays taken, `userName` and `externalId` do not, and all
   * memberships are removed. Each group that the user was in changes.
   */
  remove(change: RemovalRequest): Promise<RemovalOutcome>

  list(query: ListQuery): Promise<ListOutcome<ListedUserRecord>>
}

/** Which user to remove or release. */
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
