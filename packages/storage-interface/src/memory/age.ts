import { compareText } from '../filter/compare-text.ts'
import type { EpochSeconds } from '../time.ts'
import { createSortedRows, type SortedRows } from './sorted-rows.ts'

/** What lists are ordered by when nobody asks for another order: the oldest first, and of the same second by identifier. */
export interface Aged<Id extends string = string> {
  readonly id: Id
  readonly createdAt: EpochSeconds
}

/** Rows, oldest first. */
export type RowsByAge<Id extends string> = SortedRows<Aged<Id>, Aged>

export const createRowsByAge = <Id extends string>(): RowsByAge<Id> => createSortedRows<Aged<Id>, Aged>(compareAge)

/** All identifiers, oldest first. */
export const idsByAge = <Id extends string>(rows: RowsByAge<Id>): readonly Id[] =>
  rows.slice(0, rows.length).map(({ id }) => id)

export const compareAge = (one: Aged, other: Aged): number =>
  one.createdAt - other.createdAt || compareText(one.id, other.id)
