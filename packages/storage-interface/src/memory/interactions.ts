import type { SecretDigest } from '../identifiers.ts'
import type { InteractionRecord, InteractionStore } from '../interaction.ts'
import type { EpochSeconds } from '../time.ts'
import { createExpiringRows, type ExpiringRows } from './expiring-rows.ts'
import { frozenCopy } from './frozen-copy.ts'
import type { SchedulerHook } from './scheduler-hook.ts'

interface StoredInteraction {
  readonly record: InteractionRecord
  readonly consumed: boolean
}

export type InteractionTable = ExpiringRows<SecretDigest, StoredInteraction>

export const createInteractionTable = (): InteractionTable => createExpiringRows(({ record }) => record.expiresAt)

export function createMemoryInteractions(interactions: InteractionTable, pause: SchedulerHook): InteractionStore {
  return {
    async insert(interaction) {
      await pause()
      if (interactions.has(interaction.digest)) return { outcome: 'taken' }

      interactions.set(interaction.digest, { record: frozenCopy(interaction), consumed: false })
      return { outcome: 'inserted' }
    },

    async find(digest, browserDigest, now) {
      await pause()
      const stored = findUnexpired(interactions.get(digest), browserDigest, now)
      return stored === undefined || stored.consumed ? undefined : stored.record
    },

    async recordLogin({ digest, browserDigest, login, version, now }) {
      await pause()
      const stored = findUnexpired(interactions.get(digest), browserDigest, now)
      if (stored === undefined || stored.consumed) return { outcome: 'absent' }
      if (stored.record.version !== version) return { outcome: 'conflict' }

      const record = frozenCopy({ ...stored.record, login, version: version + 1 })
      interactions.set(digest, { record, consumed: false })
      return { outcome: 'swapped', record }
    },

    async consume(digest, browserDigest, now) {
      await pause()
      const stored = findUnexpired(interactions.get(digest), browserDigest, now)
      if (stored === undefined) return { outcome: 'absent' }
      if (stored.consumed) return { outcome: 'replayed', record: stored.record }

      interactions.set(digest, { record: stored.record, consumed: true })
      return { outcome: 'won', record: stored.record }
    },
  }
}

function findUnexpired(
  stored: StoredInteraction | undefined,
  browserDigest: SecretDigest,
  now: EpochSeconds,
): StoredInteraction | undefined {
  if (stored === undefined || stored.record.browserDigest !== browserDigest) return undefined
  return now < stored.record.expiresAt ? stored : undefined
}
