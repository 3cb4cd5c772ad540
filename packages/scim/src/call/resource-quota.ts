import { createRecentMap } from '@mintmark/internal'
import type { ListOutcome, ListQuery, ProviderId } from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'

/** How many resources of one type each provider may have. */
export interface ResourceQuota {
  /**
   * Creates a resource. A creation that throws or returns undefined created nothing and does not count.
   * @param requireFreeKeys throws if another resource has a key of the new one. Called if the provider has as many resources
   * as it may have, because a client that repeats a request must learn that the resource exists.
   * @throws ScimError 403 — reason `resources_too_many`; and whatever `creation` and `requireFreeKeys` throw.
   */
  create<T extends object>(
    providerId: ProviderId,
    creation: () => Promise<T>,
    requireFreeKeys: () => Promise<void>,
  ): Promise<T>
  /** Creates a resource like `create`, but returns `full` instead of refusing. */
  createUnlessFull<T extends object | undefined>(
    providerId: ProviderId,
    creation: () => Promise<T>,
  ): Promise<T | 'full'>
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
  const creationsLeft = createRecentMap<{ left: number }>({ limit: recentProviders })

  async function roomOf(providerId: ProviderId): Promise<number> {
    const page = { kind: 'index', offset: 0, limit: 0 } as const
    const found = await list({ providerId, filter: undefined, sort: undefined, page })
    return found.outcome === 'tooMany' ? 0 : limit - found.total
  }

  async function createUnlessFull<T extends object | undefined>(
    providerId: ProviderId,
    creation: () => Promise<T>,
  ): Promise<T | 'full'> {
    const creations = creationsLeft.get(providerId, () => ({ left: 0 }))
    if (creations.left === 0) {
      const room = await roomOf(providerId)
      if (room < 1) return 'full'
      creations.left = Math.floor(room / 10)
      // Close to the limit, the total is read for each creation.
      if (creations.left === 0) return creation()
    }
    creations.left -= 1
    let created: T | undefined
    try {
      created = await creation()
      return created
    } finally {
      if (created === undefined) creations.left += 1
    }
  }

  return {
    createUnlessFull,
    async create(providerId, creation, requireFreeKeys) {
      const created = await createUnlessFull(providerId, creation)
      if (created !== 'full') return created
      await requireFreeKeys()
      // RFC 7644 §3.12, 403: the operation is not permitted.
      throw refuse('resources_too_many')
    },
  }
}

/** For others, the total is read again. */
const recentProviders = 1000
