import type { Journal } from '@mintmark/core/http'

import type { ScimOccurrence } from '../event/scim-event.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import { createToleranceCounter, type ParseContext, type ToleranceCounter } from '../tolerance/tolerance-counter.ts'
import { tolerancesOf } from '../tolerance/tolerances.ts'
import type { ScimCall } from './scim-call.ts'

/** The parse context of a request, with the tolerances of its provider. */
export const createCallContext = (call: ScimCall, resourceType: ResourceType): ParseContext => ({
  resourceType,
  tolerances: toleranceCounterOf(call),
})

/** The tolerances of the provider of a request. */
export const toleranceCounterOf = ({ caller }: ScimCall): ToleranceCounter =>
  createToleranceCounter(tolerancesOf(caller.provider.toleranceProfile))

/** Records an event with the tolerances that a request has used, if any. */
export function recordTolerances(
  { tolerances }: Pick<ParseContext, 'tolerances'>,
  { caller, request }: ScimCall,
  journal: Journal<ScimOccurrence>,
): void {
  const applied = tolerances.applied()
  if (applied.length === 0) return
  journal.record(request, { type: 'tolerance.applied', providerId: caller.provider.providerId, applied })
}
