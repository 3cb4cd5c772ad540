import type { ResourceType } from '../schema/define-resource-type.ts'
import type { ToleranceTally } from './tolerance-tally.ts'

/** What everything that reads a request needs: the type of resource it is about, and what is tolerated. */
export interface Reading {
  readonly resourceType: ResourceType
  readonly tally: ToleranceTally
}
