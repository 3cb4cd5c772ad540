import type { ProviderId } from '../identifiers.ts'
import type { IdentityProviderRecord, IdentityProviderStore } from '../identity-provider.ts'
import { compareText } from '../filter/compare-text.ts'
import { frozenCopy } from './frozen-copy.ts'
import type { Pause } from './pause.ts'

/** `removed` keeps the identifier taken. */
type StoredProvider =
  { readonly kind: 'present'; readonly record: IdentityProviderRecord } | { readonly kind: 'removed' }

export type IdentityProviderTable = Map<ProviderId, StoredProvider>

export const createIdentityProviderTable = (): IdentityProviderTable => new Map()

export function createMemoryIdentityProviders(providers: IdentityProviderTable, pause: Pause): IdentityProviderStore {
  const present = (providerId: ProviderId): IdentityProviderRecord | undefined => {
    const stored = providers.get(providerId)
    return stored?.kind === 'present' ? stored.record : undefined
  }
  const write = (provider: IdentityProviderRecord): IdentityProviderRecord => {
    const record = frozenCopy(provider)
    providers.set(record.providerId, { kind: 'present', record })
    return record
  }

  return {
    async insert(provider) {
      await pause()
      if (providers.has(provider.providerId)) return { outcome: 'taken' }

      write(provider)
      return { outcome: 'inserted' }
    },

    async find(providerId) {
      await pause()
      return present(providerId)
    },

    async list({ after, limit }) {
      await pause()
      return [...providers.values()]
        .flatMap((stored) => (stored.kind === 'present' ? [stored.record] : []))
        .toSorted((one, other) => compareText(one.providerId, other.providerId))
        .filter(({ providerId }) => after === undefined || compareText(providerId, after) > 0)
        .slice(0, limit)
    },

    async compareAndSwap(provider, version) {
      await pause()
      const current = present(provider.providerId)
      if (current === undefined) return { outcome: 'absent' }
      if (current.version !== version) return { outcome: 'conflict' }

      return { outcome: 'swapped', record: write({ ...provider, version: version + 1 }) }
    },

    async remove(providerId) {
      await pause()
      if (present(providerId) === undefined) return { outcome: 'absent' }

      providers.set(providerId, { kind: 'removed' })
      return { outcome: 'removed' }
    },

    async touchSecret(providerId, digest, now) {
      await pause()
      const current = present(providerId)
      if (current === undefined) return

      const secrets = current.secrets.map((secret) =>
        secret.digest === digest ? { ...secret, lastUsedAt: now } : secret,
      )
      write({ ...current, secrets })
    },
  }
}
