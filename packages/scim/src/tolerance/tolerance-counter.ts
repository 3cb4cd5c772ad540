import type { ResourceType } from '../schema/resource-type.ts'
import type { AppliedTolerance, Tolerance, Tolerances } from './tolerances.ts'

/** The tolerances of one call: what is enabled, and a count of what was used. */
export interface ToleranceCounter {
  /** Whether a tolerance is enabled. Ask only where it is needed to go on: a yes is counted. */
  readonly admits: (tolerance: Tolerance) => boolean
  /** What was used so far, in order of first use. */
  readonly applied: () => readonly AppliedTolerance[]
}

/** A counter that starts at nothing. */
export function createToleranceCounter(enabled: Tolerances): ToleranceCounter {
  const counts = new Map<Tolerance, number>()
  return {
    admits(tolerance) {
      if (!enabled.has(tolerance)) return false
      counts.set(tolerance, (counts.get(tolerance) ?? 0) + 1)
      return true
    },
    applied: () => [...counts].map(([tolerance, count]) => ({ tolerance, count })),
  }
}

/** What everything that reads a request needs: the type of resource it is about, and what is tolerated. */
export interface ParseContext {
  readonly resourceType: ResourceType
  readonly tolerances: ToleranceCounter
}

/** A reading of one request: its counter counts what that request needed. */
export const createParseContext = (resourceType: ResourceType, tolerances: Tolerances): ParseContext => ({
  resourceType,
  tolerances: createToleranceCounter(tolerances),
})
