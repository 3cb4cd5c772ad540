import type { ProviderId } from '../identifiers.ts'
import type { IdentityProviderRecord, IdentityProviderStore } from '../identity-provider.ts'
import { frozenCopy } from './frozen-copy.ts'
import { createOrderedRows, pageBehind, type OrderedRows } from './ordered-rows.ts'
import type { SchedulerHook } from './scheduler-hook.ts'

export interface IdentityProviderTable {
  /** Those that are there. */
  readonly present: OrderedRows<ProviderId, IdentityProviderRecord>
  /** Identifiers that stay taken. */
  readonly removed: Set<ProviderId>
}

export const createIdentityProviderTable = (): IdentityProviderTable => ({
  present: createOrderedRows(),
  removed: new Set(),
})

export function createMemoryIdentityProviders(
  { present, removed }: IdentityProviderTable,
  pause: SchedulerHook,
): IdentityProviderStore {
  const write = (provider: IdentityProviderRecord): IdentityProviderRecord => {
    const record = frozenCopy(provider)
    present.set(record.providerId, record)
    return record
  }

  return {
    async insert(provider) {
      await pause()
      if (present.has(provider.providerId) || removed.has(provider.providerId)) return { outcome: 'taken' }

      write(provider)
      return { outcome: 'inserted' }
    },

    async find(providerId) {
      await pause()
      return present.get(providerId)
    },

    async list(page) {
      await pause()
      return pageBehind(present, page)
    },

    async compareAndSwap(provider, version) {
      await pause()
      const current = present.get(provider.providerId)
      if (current === undefined) return { outcome: 'absent' }
      if (current.version !== version) return { outcome: 'conflict' }

      return { outcome: 'swapped', record: write({ ...provider, version: version + 1 }) }
    },

    async remove(providerId) {
      await pause()
      if (!present.delete(providerId)) return { outcome: 'absent' }

      removed.add(providerId)
      return { outcome: 'removed' }
    },

    async touchSecret(providerId, digest, now) {
      await pause()
      const current = present.get(providerId)
      if (current === undefined) return

      const secrets = current.secrets.map((secret) =>
        secret.digest === digest ? { ...secret, lastUsedAt: now } : secret,
      )
      write({ ...current, secrets })
    },
  }
}
