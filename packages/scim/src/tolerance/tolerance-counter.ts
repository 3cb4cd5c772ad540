import type { ResourceType } from '../schema/resource-type.ts'
import type { AppliedTolerance, Tolerance, Tolerances } from './tolerances.ts'

/** The tolerances that are enabled for a request, and how often each was used. */
export interface ToleranceCounter {
  /** Whether a tolerance is enabled. Each `true` is counted as a use, so call it only when the request needs the tolerance. */
  readonly admits: (tolerance: Tolerance) => boolean
  /** The tolerances used so far, in order of first use. */
  readonly applied: () => readonly AppliedTolerance[]
  /** A separate counter that starts with the uses so far. */
  readonly fork: () => ToleranceCounter
}

/** Creates a counter without uses. */
export const createToleranceCounter = (enabled: Tolerances): ToleranceCounter => counterFrom(enabled, new Map())

function counterFrom(enabled: Tolerances, used: ReadonlyMap<Tolerance, number>): ToleranceCounter {
  const counts = new Map(used)
  return {
    admits(tolerance) {
      if (!enabled.has(tolerance)) return false
      counts.set(tolerance, (counts.get(tolerance) ?? 0) + 1)
      return true
    },
    applied: () => [...counts].map(([tolerance, count]) => ({ tolerance, count })),
    fork: () => counterFrom(enabled, counts),
  }
}

/** The context in which a request is parsed: its resource type and tolerances. */
export interface ParseContext {
  readonly resourceType: ResourceType
  readonly tolerances: ToleranceCounter
}

/** Creates the context of one request, with a counter of its own. */
export const createParseContext = (resourceType: ResourceType, tolerances: Tolerances): ParseContext => ({
  resourceType,
  tolerances: createToleranceCounter(tolerances),
})
