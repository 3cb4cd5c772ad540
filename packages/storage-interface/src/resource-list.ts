import type { FilterAttribute, ResolvedFilter } from './filter/resolved-filter.ts'
import type { ProviderId } from './values.ts'

/**
 * The order of a list: of an attribute with several values the primary one, or else the first (RFC 7644 §3.4.2.3). What
 * has no value comes last when ascending. Equal ones are by age, oldest first. A descending list is the reverse of the ascending
 * one, so that one index serves both.
 */
export interface SortKey {
  readonly attribute: FilterAttribute
  /** Of an attribute with several complex values, the part that is compared. */
  readonly elementPart: string | undefined
  readonly direction: 'ascending' | 'descending'
}

/** Where a list continues. Only the store that made it understands it; it contains no secret and is meaningless for another query. */
export type ListPosition = string

/**
 * Which part of a list is requested: by `offset` (the first is 0), or after the page before. Law: without a sort,
 * cursor pages show each row that exists all the time exactly once, while others come and go.
 */
export type ListPage =
  | { readonly kind: 'index'; readonly offset: number; readonly limit: number }
  | { readonly kind: 'cursor'; readonly after: ListPosition | undefined; readonly limit: number }

/** A read whose caller may leave before the answer. */
export interface Abortable {
  /** When it is aborted, the store may stop and throw the signal's reason. A store may also ignore it. */
  readonly signal?: AbortSignal | undefined
}

/** Resources of one provider. `limit` 0 asks for the total alone. */
export interface ListQuery extends Abortable {
  readonly providerId: ProviderId
  /**
   * About the comparable form, to which the store adds what it knows itself: `id`, `externalId`, `active`, `meta.created`,
   * `meta.lastModified` (milliseconds), `groups` (`value`) of a user, `members` (`value`, and `type`: `user` or `group`) of a
   * group. Nothing else of these is tested.
   */
  readonly filter: ResolvedFilter | undefined
  /** About the same, but for `groups` and `members`. By age, oldest first and then by `id`, when there is none. */
  readonly sort: SortKey | undefined
  readonly page: ListPage
  /**
   * The bytes of resources, with the names of a user's groups, after which a page ends. It has at least one resource, and fewer
   * than requested if they are large (RFC 7644 §3.4.2.4).
   */
  readonly maxBytes?: number
  /** Leaves out the groups of users, which are not shown. */
  readonly without?: 'groups'
}

/**
 * A page, the number of all that match, and where the next cursor page begins if there may be one; it means nothing after an
 * index page. `tooMany`: the store would have to look at more rows than it is willing to (RFC 7644 §3.12 tooMany).
 */
export type ListOutcome<Record> =
  | {
      readonly outcome: 'listed'
      readonly total: number
      readonly records: readonly Record[]
      readonly next: ListPosition | undefined
      /** Whether the list read more than half of what the store is willing to read: it may soon be `tooMany`. */
      readonly isNearLimit?: boolean
    }
  | { readonly outcome: 'tooMany' }
