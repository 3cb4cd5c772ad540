import { endingsKeptFor, type Ending, type EndingRecord } from '../ending.ts'
import { after, type EpochSeconds } from '../time.ts'
import { createExpiringRows, type ExpiringRows } from './expiring-rows.ts'
import { frozenCopy } from './frozen-copy.ts'
import { createSortedRows, type SortedRows } from './sorted-rows.ts'

export interface EndingTable {
  readonly byPosition: ExpiringRows<number, EndingRecord>
  /** The positions that have a record. */
  readonly positions: SortedRows<number>
  /** When each token that was ended by itself expires. */
  readonly tokens: ExpiringRows<string, EpochSeconds>
  lastPosition: number
}

export const createEndingTable = (): EndingTable => ({
  byPosition: createExpiringRows(({ endedAt }) => after(endedAt, endingsKeptFor)),
  positions: createSortedRows<number>((one, other) => one - other),
  tokens: createExpiringRows((expiresAt) => expiresAt),
  lastPosition: 0,
})

/** Writes an ending: in the step that ends it, so that nothing comes in between. */
export function writeEnding(endings: EndingTable, ending: Ending, endedAt: EpochSeconds): void {
  endings.lastPosition += 1
  const { lastPosition: position } = endings
  endings.byPosition.set(position, frozenCopy({ position, ending, endedAt }))
  endings.positions.add(position)
}

/** Forgets an ending: its position stays empty. */
export function removeEnding({ byPosition, positions }: EndingTable, position: number): void {
  byPosition.delete(position)
  positions.remove(position)
}
