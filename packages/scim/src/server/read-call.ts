import type { Journal } from '@mintmark/core/http'

import type { ScimOccurrence } from '../event/scim-event.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { createToleranceCounter, type ParseContext, type ToleranceCounter } from '../tolerance/tolerance-counter.ts'
import { tolerancesOf } from '../tolerance/tolerances.ts'
import type { ScimCall } from './scim-call.ts'

/** Opens the reading of a call: with what its provider is tolerated. */
export const createCallContext = (call: ScimCall, resourceType: ResourceType): ParseContext => ({
  resourceType,
  tolerances: toleranceCounterOf(call),
})

/** What a call's provider is tolerated, with nothing of it used yet. */
export const toleranceCounterOf = ({ caller }: ScimCall): ToleranceCounter =>
  createToleranceCounter(tolerancesOf(caller.provider.toleranceProfile))

/** Tells which tolerances a call has needed, if any. */
export function recordTolerances(
  { tolerances }: Pick<ParseContext, 'tolerances'>,
  { caller, request }: ScimCall,
  journal: Journal<ScimOccurrence>,
): void {
  const applied = tolerances.applied()
  if (applied.length === 0) return
  journal.record(request, { type: 'tolerance.applied', providerId: caller.provider.providerId, applied })
}
