import { compareText } from '../filter/matches-filter.ts'
import type { EpochSeconds } from '../values.ts'

/**
 * Rows kept in sorted order. The cost of each operation hardly depends on the number of rows.
 * `Place` is the part of a row that determines its position, such as its key.
 */
export interface SortedRows<Row extends Place, Place = Row> {
  readonly length: number
  /** Inserts a row in order. Does nothing if the row is already present. */
  add(row: Row): void
  /** Removes the row at a place, if there is one. */
  remove(place: Place): void
  /** Returns the rows from one index to before another, like `Array.slice` with indexes that are not negative. */
  slice(start: number, end: number): readonly Row[]
  /** Iterates over the rows from an index on. Do not add or remove rows meanwhile. */
  from(start: number): Iterable<Row>
  /** Returns the number of rows up to and including a place: the index of the first row after it. */
  countUpTo(place: Place): number
}

/**
 * Sorted rows in blocks: inserting or removing a row moves only the rows of its block.
 * @param compare as for `Array.sort`; 0 only for the same row.
 */
export function createSortedRows<Row extends Place & Item, Place = Row>(
  compare: (one: Row, other: Place) => number,
): SortedRows<Row, Place> {
  /** No block is empty. */
  const blocks: Row[][] = []
  let length = 0

  /** Returns where the row of a place is, or belongs. */
  function locate(place: Place) {
    const containing = firstWhere(blocks, (block) => {
      const last = block.at(-1)
      return last !== undefined && compare(last, place) >= 0
    })
    const index = Math.min(containing, Math.max(blocks.length - 1, 0))
    const block = blocks[index] ?? []
    const found = firstWhere(block, (other) => compare(other, place) >= 0)
    const row = block[found]
    return { index, block, found, isPresent: row !== undefined && compare(row, place) === 0 }
  }

  return {
    get length() {
      return length
    },

    add(row) {
      const { index, block, found, isPresent } = locate(row)
      if (isPresent) return
      block.splice(found, 0, row)
      length += 1
      if (block.length === 1) blocks.push(block)
      if (block.length > maxBlockLength) blocks.splice(index + 1, 0, block.splice(maxBlockLength / 2))
    },

    remove(place) {
      const { index, block, found, isPresent } = locate(place)
      if (!isPresent) return
      block.splice(found, 1)
      length -= 1
      if (block.length === 0) blocks.splice(index, 1)
    },

    slice(start, end) {
      const found: Row[] = []
      let before = 0
      for (const block of blocks) {
        if (before >= end) break
        if (before + block.length > start) found.push(...block.slice(Math.max(start - before, 0), end - before))
        before += block.length
      }
      return found
    },

    *from(start) {
      let before = 0
      for (const block of blocks) {
        if (before + block.length > start) yield* block.slice(Math.max(start - before, 0))
        before += block.length
      }
    },

    countUpTo(place) {
      const { index, found, isPresent } = locate(place)
      const before = blocks.slice(0, index).reduce((sum, block) => sum + block.length, 0)
      return before + found + (isPresent ? 1 : 0)
    },
  }
}

/**
 * Returns the index of the first item for which a condition holds; it must hold for all later items too. Returns the length if
 * there is none.
 */
function firstWhere<Each extends Item>(items: readonly Each[], holds: (item: Each) => boolean): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const item = items[middle]
    if (item === undefined || holds(item)) high = middle
    else low = middle + 1
  }
  return low
}

/** Any value but `undefined`, which means "none". */
type Item = object | string | number

/**
 * Small enough to move a block in less than a microsecond, and large enough that a million rows need at most a thousand
 * blocks.
 */
const maxBlockLength = 2000

/** What the default order of lists compares: the oldest row is first; rows of the same second are ordered by identifier. */
export interface Aged<Id extends string = string> {
  readonly id: Id
  readonly createdAt: EpochSeconds
}

/** Rows, oldest first. */
export type RowsByAge<Id extends string> = SortedRows<Aged<Id>, Aged>

export const createRowsByAge = <Id extends string>(): RowsByAge<Id> => createSortedRows<Aged<Id>, Aged>(compareAge)

/** Returns all identifiers, oldest first. */
export const idsByAge = <Id extends string>(rows: RowsByAge<Id>): readonly Id[] =>
  rows.slice(0, rows.length).map(({ id }) => id)

export const compareAge = (one: Aged, other: Aged): number =>
  one.createdAt - other.createdAt || compareText(one.id, other.id)
