import { breakStore, type BrokenStore } from './break-store.ts'

/** One broken store for each law of changes and webhooks. */
export const brokenChangeStores: Readonly<Record<string, BrokenStore>> = {
  'changes: the methods that change users record it, with the names that changed': withoutType('user.changed'),
  'changes: the methods that change groups and their members record it': withoutType('membership.removed'),
  'changes: the methods that end sessions, and create and revoke grants, record it': withoutType('session.ended'),
  'changes: nothing is recorded without a webhook, nor by a method that changes nothing': breakStore(
    'webhooks',
    () => ({ remove: () => Promise.resolve({ outcome: 'removed' }) }),
  ),
  'changes: a reader that continues after the last one misses none, and sees those of a user in order': breakStore(
    'changes',
    (honest) => ({
      list: async (page) => (await honest.list(page)).toReversed(),
    }),
  ),
  'webhooks: of the writers who read one version, one is swapped': breakStore('webhooks', (honest) => ({
    compareAndSwap: async (webhook, version) => {
      for (;;) {
        const current = await honest.find(webhook.webhookId)
        const result = await honest.compareAndSwap(webhook, current?.version ?? version)
        if (result.outcome !== 'conflict') return result
      }
    },
  })),
  'webhooks: a list is in the order of identifiers, without those that were removed': breakStore(
    'webhooks',
    (honest) => ({ list: async () => (await honest.list()).toReversed() }),
  ),
}

function withoutType(type: string): BrokenStore {
  return breakStore('changes', (honest) => ({
    list: async (page) => (await honest.list(page)).filter((change) => change.type !== type),
  }))
}
