import { breakStore, type BrokenStore } from './break-store.ts'

/** One broken store for each law of changes and webhooks. */
export const brokenChangeStores: Readonly<Record<string, BrokenStore>> = {
  'changes: methods that change users of the host record the changes, with the names of the changed claims':
    withoutType('user.changed'),
  'changes: methods that change provisioned users, and upserts, record the changes': withoutType('user.reactivated'),
  'changes: methods that change groups and their members record the changes': withoutType('membership.removed'),
  'changes: methods that revoke sessions, or create or revoke grants, record the changes': withoutType('session.ended'),
  'changes: nothing is recorded without a webhook, nor by a method that changes nothing': breakStore(
    'webhooks',
    () => ({ remove: () => Promise.resolve({ outcome: 'removed' }) }),
  ),
  'changes: a reader that continues after the last change misses none, and gets the changes of a user in order':
    breakStore('changes', (honest) => ({
      list: async (page) => (await honest.list(page)).toReversed(),
    })),
  'webhooks: of concurrent writers that read the same version, one succeeds': breakStore('webhooks', (honest) => ({
    compareAndSwap: async (webhook, version) => {
      for (;;) {
        const current = await honest.find(webhook.webhookId)
        const result = await honest.compareAndSwap(webhook, current?.version ?? version)
        if (result.outcome !== 'conflict') return result
      }
    },
  })),
  'webhooks: a change stores every member that can change': breakStore('webhooks', (honest) => ({
    compareAndSwap: async (webhook, version) => {
      const stored = await honest.find(webhook.webhookId)
      return honest.compareAndSwap({ ...webhook, stream: stored?.stream }, version)
    },
  })),
  'webhooks: a list is in the order of identifiers, without removed webhooks': breakStore('webhooks', (honest) => ({
    list: async () => (await honest.list()).toReversed(),
  })),
}

function withoutType(type: string): BrokenStore {
  return breakStore('changes', (honest) => ({
    list: async (page) => (await honest.list(page)).filter((change) => change.type !== type),
  }))
}
