import type { ResourceType } from '../schema/define-resource-type.ts'
import { openTally, type ToleranceTally } from './tolerance-tally.ts'
import type { Tolerances } from './tolerance.ts'

/** What everything that reads a request needs: the type of resource it is about, and what is tolerated. */
export interface Reading {
  readonly resourceType: ResourceType
  readonly tally: ToleranceTally
}

/** A reading of one request: its tally counts what that request needed. */
export const openReading = (resourceType: ResourceType, tolerances: Tolerances): Reading => ({
  resourceType,
  tally: openTally(tolerances),
})
