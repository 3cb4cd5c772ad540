import type { ResourceType } from '../schema/define-resource-type.ts'
import { createToleranceCounter, type ToleranceCounter } from './tolerance-counter.ts'
import type { Tolerances } from './tolerance.ts'

/** What everything that reads a request needs: the type of resource it is about, and what is tolerated. */
export interface ParseContext {
  readonly resourceType: ResourceType
  readonly tolerances: ToleranceCounter
}

/** A reading of one request: its tally counts what that request needed. */
export const createParseContext = (resourceType: ResourceType, tolerances: Tolerances): ParseContext => ({
  resourceType,
  tolerances: createToleranceCounter(tolerances),
})
