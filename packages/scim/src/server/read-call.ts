import type { ResourceType } from '../schema/define-resource-type.ts'
import { profileOf } from '../tolerance/profile-of.ts'
import { openReading, type Reading } from '../tolerance/reading.ts'
import type { Journal } from '@mintmark/core/http'
import type { ScimOccurrence } from '../event/scim-event.ts'
import type { ScimCall } from './scim-call.ts'

/** Opens the reading of a call: with what its provider is tolerated. */
export const readingOf = ({ caller }: ScimCall, resourceType: ResourceType): Reading =>
  openReading(resourceType, profileOf(caller.provider.toleranceProfile))

/** Tells which tolerances a call has needed, if any. */
export function noteTolerances({ tally }: Reading, { caller, request }: ScimCall, journal: Journal<ScimOccurrence>): void {
  const applied = tally.applied()
  if (applied.length === 0) return
  journal.record(request, { type: 'tolerance.applied', providerId: caller.provider.providerId, applied })
}
