import { compareText } from '../filter/compare-text.ts'
import type { EpochSeconds } from '../time.ts'
import type { SortedRows } from './sorted-rows.ts'

/** What lists are ordered by when nobody asks for another order: the oldest first, and of the same second by identifier. */
export interface Aged<Id extends string = string> {
  readonly id: Id
  readonly createdAt: EpochSeconds
}

/** All identifiers, oldest first. */
export const idsByAge = <Id extends string>(rows: SortedRows<Aged<Id>>): readonly Id[] =>
  rows.slice(0, rows.length).map(({ id }) => id)

export const compareAge = (one: Aged, other: Aged): number =>
  one.createdAt - other.createdAt || compareText(one.id, other.id)
