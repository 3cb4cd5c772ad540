import { systemClock, systemRandom, type Clock, type Random } from '@mintmark/core/runtime'
import type { AnsweredRequest } from '@mintmark/scim'
import { seconds, type Storage } from '@mintmark/storage-interface'

import { plainJson } from '../json/plain-json.ts'
import { createAuditLog } from '../audit/audit-log.ts'

/**
 * Keeps what identity providers asked for and how it was answered, for their administrators: give it to
 * `createScimServer` as `onRequest`.
 */
export function keepRequestLog(options: {
  /** The storage of SCIM. */
  readonly storage: Storage
  /**
   * In seconds; purging takes away what is older.
   * @defaultValue 604800, 7 days. Who looks into it looks for what went wrong this week, and it names accounts.
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
