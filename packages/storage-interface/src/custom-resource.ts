import type { RemovalOutcome } from './provisioned-user.ts'
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
import type { ListOutcome, ListQuery } from './resource-list.ts'
import { providerId, type EpochSeconds, type JsonObject, type ProviderId } from './values.ts'

/** Resources of types that the host defines, such as devices. All types share one table. */
export const customResources = defineRecord(
  'customResources',
  {
    /** The SCIM `id`; random, never reused. */
    resourceId: key(text),
    providerId: id(providerId),
    /** The name of the resource type, such as `Device`. */
    resourceType: text,
    externalId: optional(text),
    /** The SCIM resource without `id`, `externalId` and `meta`. */
    resource: json,
    createdAt: time,
    updatedAt: time,
    /** Advances by one with each change. Starts at 1. */
    version: integer,
  },
  { storedOnly: { externalIdKey: optional(text), comparable: searchable } },
)

/** A resource of a type that the host defines. */
export interface CustomResourceRecord extends RecordOf<typeof customResources> {}

/** The state of a custom resource as its provider sends it. */
export interface CustomResourceState {
  readonly externalId: string | undefined
  /** The SCIM resource without `id`, `externalId` and `meta`. */
  readonly resource: JsonObject
  /** The form of `resource` that filters and sorting compare. */
  readonly comparable: JsonObject
  /**
   * Strings that no other resource of the same type and provider may have, without duplicates: one for each value of an attribute
   * with `uniqueness`. Stores only compare them and never return them.
   */
  readonly uniqueTexts: readonly string[]
}

/** Identifies one resource. A resource of another provider or type is absent. */
interface ResourceKey {
  readonly providerId: ProviderId
  readonly resourceType: string
  readonly resourceId: string
}

/** The key of a new or changed resource that another resource already has: the first of `id`, `externalId` and `unique`. */
interface Taken<Key> {
  readonly outcome: 'taken'
  readonly key: Key
}

/**
 * Resources of types that the host defines. Law: every method works on one provider and one type. A resource of another provider
 * or type is `absent` and in no list, and its keys are not `taken`. A store need not know which types exist.
 */
export interface CustomResourceStore {
  /** Inserts a resource with version 1. Law: `externalId` and each of `uniqueTexts` are unique within a provider and a type. */
  insert(
    resource: ResourceKey & { readonly state: CustomResourceState; readonly createdAt: EpochSeconds },
  ): Promise<
    { readonly outcome: 'inserted'; readonly record: CustomResourceRecord } | Taken<'id' | 'externalId' | 'unique'>
  >

  find(key: ResourceKey): Promise<CustomResourceRecord | undefined>

  /**
   * Replaces the whole state if the row has the version that the caller read. `conflict` takes precedence over `taken`.
   * Law: of two writers who read the same version, one gets `conflict`. Nothing is written unless the outcome is `swapped`.
   */
  compareAndSwap(
    change: ResourceKey & { readonly version: number; readonly state: CustomResourceState; readonly now: EpochSeconds },
  ): Promise<
    | { readonly outcome: 'swapped'; readonly record: CustomResourceRecord }
    | { readonly outcome: 'conflict' }
    | { readonly outcome: 'absent' }
    | Taken<'externalId' | 'unique'>
  >

  /**
   * Removes a resource. Law: its keys are free again.
   * @param request `version` is the version that the resource must have; `undefined` for any.
   */
  remove(request: ResourceKey & { readonly version: number | undefined }): Promise<RemovalOutcome>

  list(query: ListQuery & { readonly resourceType: string }): Promise<ListOutcome<CustomResourceRecord>>
}
