import type { ListOutcome, ListQuery, ProviderId } from '@mintmark/storage-interface/stores'

import { refusal } from '../error/scim-error.ts'

/** How many resources of one type each provider may have. */
export interface ResourceQuota {
  /**
   * Called before a resource is created.
   * @throws ScimError 403 — reason `resources_too_many`.
   */
  readonly requireRoom: (providerId: ProviderId) => Promise<void>
}

/**
 * Creates the quota of a type. The total is read again after the provider has created a tenth of the resources that
 * remained, so that an initial synchronization does not read it for each resource, and several processes together do
 * not exceed the limit by much.
 * @param list lists resources of the type; called only for their total.
 */
export function createResourceQuota(
  limit: number,
  list: (query: ListQuery) => Promise<ListOutcome<unknown>>,
): ResourceQuota {
  /** How many resources a provider may create before its total is read again. */
  const creationsLeft = new Map<ProviderId, number>()

  async function roomOf(providerId: ProviderId): Promise<number> {
    const page = { kind: 'index', offset: 0, limit: 0 } as const
    const found = await list({ providerId, filter: undefined, sort: undefined, page })
    return found.outcome === 'tooMany' ? 0 : limit - found.total
  }

  return {
    async requireRoom(providerId) {
      const left = creationsLeft.get(providerId) ?? 0
      if (left > 0) {
        creationsLeft.set(providerId, left - 1)
        return
      }
      const room = await roomOf(providerId)
      // RFC 7644 §3.12, 403: the operation is not permitted.
      if (room < 1) throw refusal('resources_too_many')
      creationsLeft.set(providerId, Math.max(0, Math.floor(room / 10) - 1))
    },
  }
}
