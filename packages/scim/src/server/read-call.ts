import type { ResourceType } from '../schema/define-resource-type.ts'
import { profileOf } from '../tolerance/profile-of.ts'
import type { Reading } from '../tolerance/reading.ts'
import { openTally, type ToleranceTally } from '../tolerance/tolerance-tally.ts'
import type { Journal } from '@mintmark/core/http'
import type { ScimOccurrence } from '../event/scim-event.ts'
import type { ScimCall } from './scim-call.ts'

/** Opens the reading of a call: with what its provider is tolerated. */
export const readingOf = (call: ScimCall, resourceType: ResourceType): Reading => ({
  resourceType,
  tally: tallyOf(call),
})

/** What a call's provider is tolerated, with nothing of it used yet. */
export const tallyOf = ({ caller }: ScimCall): ToleranceTally => openTally(profileOf(caller.provider.toleranceProfile))

/** Tells which tolerances a call has needed, if any. */
export function noteTolerances(
  { tally }: Pick<Reading, 'tally'>,
  { caller, request }: ScimCall,
  journal: Journal<ScimOccurrence>,
): void {
  const applied = tally.applied()
  if (applied.length === 0) return
  journal.record(request, { type: 'tolerance.applied', providerId: caller.provider.providerId, applied })
}
