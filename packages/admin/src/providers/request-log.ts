import { type Clock, type Random, systemClock, systemRandom } from '@mintmark/internal'
import type { AnsweredRequest } from '@mintmark/scim/engine'
import { seconds, type AdminStorage } from '@mintmark/storage-interface'

import { createAuditLog, plainJson } from '../audit/audit-log.ts'

/**
 * Stores the requests of identity providers and how they were answered, for their administrators. Use it as `onRequest`
 * of `createScimServer`.
 */
export function keepRequestLog(options: {
  /** The storage of SCIM. */
  readonly storage: AdminStorage
  /**
   * In seconds. Purging removes older entries.
   * @defaultValue 604800, 7 days. The log is for recent problems, and it contains identifiers of users.
   */
  readonly retention?: number
  readonly clock?: Clock
  readonly random?: Random
}): (answered: AnsweredRequest) => Promise<void> {
  const { storage, retention = 604_800, clock = systemClock, random = systemRandom } = options
  const log = createAuditLog({ storage, clock, random, retention: seconds(retention) })
  return ({ at: _at, providerId, ...request }) =>
    log.append({ log: requestLogOf(providerId), type: 'request.answered', detail: plainJson(request) })
}

/** The name of the log of a provider's requests. */
export const requestLogOf = (providerId: string): string => `provider:${providerId}`
