import type { FilterAttribute, ResolvedFilter } from './filter/resolved-filter.ts'
import type { ProviderId } from './values.ts'

/**
 * The order of a list. For an attribute with several values, the primary value is compared, or else the first (RFC 7644
 * §3.4.2.3). Resources without a value come last in ascending order. Resources with equal values are ordered by age, oldest first. A
 * descending list is the reverse of the ascending one, so that one index serves both.
 */
export interface SortKey {
  readonly attribute: FilterAttribute
  /** For an attribute with several complex values, the part that is compared. */
  readonly elementPart: string | undefined
  readonly direction: 'ascending' | 'descending'
}

/** Where a list continues. Only the store that created it can read it. It contains no secret, and is valid only for the same query. */
export type ListPosition = string

/**
 * Which part of a list is requested: by `offset` (the first row is 0), or after the previous page. Law: cursor pages contain
 * exactly once each row that exists from the first page to the last and whose place in the order does not change, even if
 * others are inserted, changed and removed meanwhile.
 */
export type ListPage =
  | { readonly kind: 'index'; readonly offset: number; readonly limit: number }
  | { readonly kind: 'cursor'; readonly after: ListPosition | undefined; readonly limit: number }

/** A read whose caller may stop waiting for the result. */
export interface Abortable {
  /** When it is aborted, the store may stop and throw the signal's reason. A store may also ignore it. */
  readonly signal?: AbortSignal | undefined
}

/** A query for resources of one provider. With `limit` 0 it returns only the total. */
export interface ListQuery extends Abortable {
  readonly providerId: ProviderId
  /**
   * Tests the comparable form of each resource (see `ResolvedFilter`), to which the store adds the attributes that it knows: `id`, `externalId`, `active`, `meta.created`
   * and `meta.lastModified` (milliseconds), `groups` of a user (`value`), and `members` of a group (`value`, and `type`: `user` or
   * `group`). A filter tests no other parts of these.
   */
  readonly filter: ResolvedFilter | undefined
  /** Compares the same attributes, except `groups` and `members`. Without a sort, the order is by age, oldest first, then by `id`. */
  readonly sort: SortKey | undefined
  readonly page: ListPage
  /**
   * A page by cursor ends once its resources, including the names of users' groups, have this number of bytes. So it has at
   * least one resource, and fewer than requested if they are large (RFC 7644 §3.4.2.4). A page by index that would end there
   * is not read: it has no resources, and the outcome has `isTooLarge`.
   */
  readonly maxBytes?: number
  /** Leaves out the groups of users. */
  readonly without?: 'groups'
}

/**
 * A page, the total number of matching resources, and where the next cursor page begins if there may be one; `next` is meaningless
 * after an index page. `tooMany`: the store would have to read more rows than its limit allows (RFC 7644 §3.12 tooMany).
 */
export type ListOutcome<Record> =
  | {
      readonly outcome: 'listed'
      readonly total: number
      readonly records: readonly Record[]
      readonly next: ListPosition | undefined
      /** Whether the store read more than half of the rows that its limit allows: the list may soon be `tooMany`. */
      readonly isNearLimit?: boolean
      /** Whether a page by index has more bytes than `maxBytes`. Its resources are left out. */
      readonly isTooLarge?: boolean
    }
  | { readonly outcome: 'tooMany' }
