import type { Ending, EndingRecord } from '../ending.ts'
import type { EpochSeconds } from '../time.ts'
import { frozenCopy } from './frozen-copy.ts'

export interface EndingTable {
  readonly byPosition: Map<number, EndingRecord>
  /** When each token that was ended by itself expires. */
  readonly tokens: Map<string, EpochSeconds>
  lastPosition: number
}

export const createEndingTable = (): EndingTable => ({ byPosition: new Map(), tokens: new Map(), lastPosition: 0 })

/** Writes an ending: in the step that ends it, so that nothing comes in between. */
export function writeEnding(endings: EndingTable, ending: Ending, endedAt: EpochSeconds): void {
  endings.lastPosition += 1
  const { lastPosition: position } = endings
  endings.byPosition.set(position, frozenCopy({ position, ending, endedAt }))
}
