import {
  isArray,
  memberOf,
  providerId,
  type GroupId,
  type ProviderId,
  type UserId,
  type JsonObject,
  type JsonText,
  type JsonValue,
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
  /** The SCIM resource without `id`, `externalId`, `active`, `groups` and `meta`; no password. Stores do not parse it. */
  readonly resource: JsonText
  /**
   * Identifies a definition of the resource type. While that definition is in use, a response can contain `resource` unchanged.
   * `undefined` if a response would leave something out. Stores keep it with the text and do not interpret it.
   */
  readonly renderKey: string | undefined
  /**
   * The comparable form of `resource`. It has a `userName`, which is unique within the provider. Strings, here and in filters, are
   * well-formed Unicode without U+0000; `userName` and `externalId` have at most 1024 characters. The parser ensures this,
   * because not every database can store other strings.
   */
  readonly comparable: JsonObject
  /** The user's claims, by OIDC claim name. */
  readonly claims: JsonObject
}

/** The state of a change that keeps `externalId`, `resource` and `renderKey`, which are those of the version that the caller read. */
export interface SameResourceState extends Omit<ProvisionedState, 'comparable'> {
  readonly comparable: 'unchanged'
}

/** A group that a user belongs to. */
export interface GroupReference {
  readonly groupId: GroupId
  readonly displayName: string
}

/**
 * Users of identity providers: rows of `users`, whose provisioning columns are all NULL for a user that has no provider. `groups` of
 * the record has no column: it is read from the members of groups.
 */
export const provisionedUsers = defineRecord(
  'users',
  {
    ...users.fields,
    providerId: id(providerId),
    externalId: optional(text),
    /** Whether the user existed before the provider adopted it. If so, a removal by the provider only unlinks and deactivates the user. */
    adopted: flag,
    resource: jsonText,
    renderKey: optional(text),
  },
  {
    storedOnly: {
      ...users.storedOnly,
      // Unique indexes use these keys, because the strings themselves may be too long for an index.
      externalIdKey: optional(text),
      userNameKey: optional(text),
      comparable: searchable,
      // The keys of a user who was removed or released, so that a sign-in does not create the user again.
      formerSince: optional(time),
      formerProviderId: optional(text),
      formerExternalIdKey: optional(text),
      formerUserNameKey: optional(text),
    },
  },
)

/**
 * A user as the identity provider sees it. It is the same row as the `UserRecord`: deactivating the user through either store is the
 * same write, and version and times are the same.
 */
export interface ProvisionedUserRecord extends RecordOf<typeof provisionedUsers> {
  /**
   * The groups of the provider that the user is a direct member of, by identifier. `undefined` if the caller left them out; a method
   * that reads one user may then still return an empty list if there are none.
   */
  readonly groups: readonly GroupReference[] | undefined
}

/** A user in a list, with the members that list responses show: a page has up to 200 users, and each member costs time. */
export type ListedUserRecord = Pick<
  ProvisionedUserRecord,
  'userId' | 'active' | 'createdAt' | 'updatedAt' | 'version' | 'externalId' | 'resource' | 'renderKey' | 'groups'
>

/** An indexed attribute that the host defined. */
export interface IndexedAttribute {
  readonly attribute: FilterAttribute
  /** For an attribute with several complex values, the part that is indexed. */
  readonly elementPart: string | undefined
  /** Whether its values are strings, which lists look up. Other values are indexed only to make them unique. */
  readonly isText: boolean
  /** Whether no two users of a provider may have the same value. Values have at most 200 characters. */
  readonly isUnique: boolean
}

/** Returns the values of an indexed attribute in a user, in the form in which users are compared. */
export function indexedValues(
  { attribute, elementPart }: IndexedAttribute,
  comparable: JsonObject,
): readonly JsonValue[] {
  const { extension, name, subName } = attribute
  const steps = [extension, name, subName, elementPart].filter((step) => step !== undefined)
  return steps.reduce<readonly JsonValue[]>(
    (owners, step) => owners.flatMap((owner) => valuesOf(memberOf(owner, step))),
    [comparable],
  )
}

const valuesOf = (value: JsonValue | undefined): readonly JsonValue[] =>
  value === undefined || value === null ? [] : isArray(value) ? value : [value]

/**
 * Which key of a new or changed user belongs to another user: `id`, `externalId`, `userName`, in this order of precedence, or
 * `unique`, the value of an attribute that `indexAttributes` made unique.
 */
export type TakenKey = 'id' | 'externalId' | 'userName' | 'unique'

/**
 * `conflict`: the row does not have the version that the caller read; it takes precedence over `taken`. Nothing is written unless
 * the outcome is `swapped`.
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
   * @defaultValue `false`. Providers may create a removed user again; sign-ins set it, because they may not.
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
export interface ProvisionedUserChange<State = ProvisionedState> {
  readonly providerId: ProviderId
  readonly userId: UserId
  /** The version that the caller read. */
  readonly version: number
  readonly state: State
  readonly now: EpochSeconds
  /** Leaves the groups out of the record. */
  readonly without?: 'groups'
}

/**
 * Users of identity providers. Law: a user who is inserted or adopted becomes, in the same step, a member without roles of the
 * provider's organization, if it has one that exists; an existing membership stays as it is. A user who is released leaves it.
 * Law: every method works on one provider. A user of another provider is `absent` and in no list, and its keys are not `taken`. A
 * deactivated user is found and listed; a removed one is not. No method checks whether the provider exists or is enabled.
 */
export interface ProvisionedUserStore {
  /**
   * Indexes attributes, including those of existing users, and makes some of them unique within each provider. An attribute that
   * was indexed before stays indexed. The first call reads all users of the issuer.
   * @throws TypeError if two users of a provider have the same value of an attribute that becomes unique.
   */
  indexAttributes(attributes: readonly IndexedAttribute[]): Promise<void>

  /**
   * Inserts a user with generation 0 and version 1. Law: `userName` and `externalId` are unique within a provider, and an identifier
   * is never used twice, as in `UserStore.insert`. Law: a user with the `externalId` or the `userName` of a user who was removed
   * while blocked is blocked from the start, even if the removal and the insertion are concurrent. Law: the block of a user applies
   * to every `externalId` and `userName` that the user had when removed or released, until the host lifts the block. Law: with
   * `unlessRemoved`, no interleaving with removals inserts a user whose `externalId` was removed.
   */
  insert(user: NewProvisionedUser): Promise<InsertUserOutcome>

  /** @param options.without leaves out the groups, of which there may be thousands. The store then reads only whether there are any. */
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
   * Replaces the whole state. Law: a state with an `unchanged` comparable form has the same effect as the whole state that the user
   * already has, with the new `active` and `claims`; the store writes nothing else, and no key is `taken`. Law: for a blocked user, `activeAfterBlock` changes instead of `active`. Law: setting `active` to
   * false advances the generation by one in the same write, and no other change does. From then on, nothing that was issued to the
   * user before is honoured. Does not remember an `externalId` or a `userName` that it replaces: the caller replaces none while the
   * user is blocked.
   * `UPDATE users SET active = ?, generation = generation + (CASE WHEN active AND NOT ? THEN 1 ELSE 0 END), … WHERE … AND version = ?`
   */
  compareAndSwap(change: ProvisionedUserChange<ProvisionedState | SameResourceState>): Promise<ProvisionOutcome>

  /** Like `compareAndSwap`, but for a user without a provider: the user then belongs to this provider, and `adopted` is set. */
  adopt(change: ProvisionedUserChange & Pick<NewProvisionedUser, 'unlessRemoved'>): Promise<AdoptOutcome>

  /**
   * Removes the link with the provider and all memberships, deactivates the user and advances the generation, even if the user was
   * already inactive: nothing that was issued before is honoured afterwards. The user and the claims stay.
   */
  release(change: RemovalRequest): Promise<RemovalOutcome>

  /**
   * Removes a user as `UserStore.remove` does: the identifier stays taken, `userName` and `externalId` do not, and all memberships
   * are removed. Each group that the user was a member of gets a new version.
   */
  remove(change: RemovalRequest): Promise<RemovalOutcome>

  list(query: ListQuery): Promise<ListOutcome<ListedUserRecord>>
}

/** Which user to remove or release. */
export interface RemovalRequest {
  readonly providerId: ProviderId
  readonly userId: UserId
  /** The version that the user must have; `undefined` for any. */
  readonly version: number | undefined
  readonly now: EpochSeconds
}

/** Only the caller who removed the record gets `removed`. */
export type RemovalOutcome =
  { readonly outcome: 'removed' } | { readonly outcome: 'conflict' } | { readonly outcome: 'absent' }
