import { breakStore, type BrokenStore, letOthersGoFirst } from './break-store.ts'

/** One broken store for each law of custom resources. */
export const brokenCustomResources: Readonly<Record<string, BrokenStore>> = {
  'custom resources: a new resource has version 1, and its identifier is taken': breakStore(
    'customResources',
    (honest) => ({
      insert: async (resource) => {
        const result = await honest.insert(resource)
        return result.outcome === 'taken' ? { outcome: 'taken', key: 'externalId' } : result
      },
    }),
  ),
  'custom resources: every member is returned as it was written, even if the caller alters its own copy': breakStore(
    'customResources',
    (honest, _storage, seen) => ({
      insert: async (resource) => {
        seen.set(resource.resourceId, resource.state.resource)
        return honest.insert(resource)
      },
      find: async (key) => {
        const found = await honest.find(key)
        // Returns the object that the caller passed in, not a copy.
        return found && { ...found, resource: seen.get(key.resourceId) as typeof found.resource }
      },
    }),
  ),
  'custom resources: externalId and uniqueTexts are unique within a provider and a type': breakStore(
    'customResources',
    (honest) => ({
      insert: (resource) => honest.insert({ ...resource, state: { ...resource.state, uniqueTexts: [] } }),
    }),
  ),
  'custom resources: a changed or removed resource frees its keys': breakStore('customResources', () => ({
    remove: async () => ({ outcome: 'removed' }),
  })),
  'custom resources: of 8 concurrent insertions with the same key, one succeeds': breakStore(
    'customResources',
    (honest) => ({
      insert: async (resource) => {
        await letOthersGoFirst()
        return honest.insert({ ...resource, state: { ...resource.state, externalId: undefined } })
      },
    }),
  ),
  'custom resources: of 8 concurrent writers that read the same version, one succeeds': breakStore(
    'customResources',
    (honest) => ({
      compareAndSwap: async (change) => {
        for (;;) {
          const current = await honest.find(change)
          const swap = await honest.compareAndSwap({ ...change, version: current?.version ?? change.version })
          if (swap.outcome !== 'conflict') return swap
        }
      },
    }),
  ),
  'custom resources: a removed resource is absent for every method': breakStore('customResources', (honest) => ({
    remove: (request) => honest.remove({ ...request, version: undefined }),
  })),
  'custom resources: a resource is not found, changed or counted through another provider, type or issuer': breakStore(
    'customResources',
    (honest) => ({ find: (key) => honest.find({ ...key, resourceType: 'Device' }) }),
  ),
  'custom resources: lists can be paged, filtered and sorted': breakStore('customResources', (honest) => ({
    list: (query) => honest.list({ ...query, sort: undefined }),
  })),
}
