import type { Journal } from '@mintmark/core/http'
import type { EpochSeconds, ProviderId } from '@mintmark/storage-interface'

import type { ScimOccurrence } from '../event/scim-event.ts'
import type { ScimCall } from '../server/scim-call.ts'

/** In whose name an account is begun, changed or ended: a request of a provider's, or a sign-in from it. One for each of them. */
export interface AccountWriter {
  readonly providerId: ProviderId
  readonly now: EpochSeconds
  /** Tells what happened. */
  readonly record: (occurrence: ScimOccurrence) => void
}

/** The writer that a call is. */
export const writerOf = ({ caller, request, now }: ScimCall, journal: Journal<ScimOccurrence>): AccountWriter => ({
  providerId: caller.provider.providerId,
  now,
  record: (occurrence) => journal.record(request, occurrence),
})
