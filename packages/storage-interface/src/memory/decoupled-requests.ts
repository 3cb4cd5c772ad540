import {
  slowedInterval,
  type DecoupledRequestRecord,
  type DecoupledRequestStore,
  type PollOutcome,
} from '../decoupled-request.ts'
import type { ClientId, EpochSeconds, SecretDigest } from '../values.ts'
import { createExpiringRows, type ExpiringRows } from './expiring-rows.ts'
import { frozenCopy, type SchedulerHook } from './rows.ts'

interface StoredRequest {
  readonly record: DecoupledRequestRecord
  readonly consumed: boolean
}

export interface DecoupledRequestTable {
  readonly byDigest: ExpiringRows<SecretDigest, StoredRequest>
  readonly byUserCode: Map<SecretDigest, SecretDigest>
}

export const createDecoupledRequestTable = (): DecoupledRequestTable => ({
  byDigest: createExpiringRows(({ record }) => record.expiresAt),
  byUserCode: new Map(),
})

export function removeDecoupledRequest({ byDigest, byUserCode }: DecoupledRequestTable, digest: SecretDigest): void {
  const userCode = byDigest.get(digest)?.record.userCodeDigest
  if (userCode !== undefined) byUserCode.delete(userCode)
  byDigest.delete(digest)
}

export function createMemoryDecoupledRequests(
  table: DecoupledRequestTable,
  scheduler: SchedulerHook,
): DecoupledRequestStore {
  const { byDigest, byUserCode } = table
  const unexpired = (digest: SecretDigest | undefined, now: EpochSeconds): StoredRequest | undefined => {
    const stored = digest === undefined ? undefined : byDigest.get(digest)
    return stored !== undefined && now < stored.record.expiresAt ? stored : undefined
  }
  const replace = (record: DecoupledRequestRecord, consumed = false): DecoupledRequestRecord => {
    const copy = frozenCopy(record)
    byDigest.set(record.digest, { record: copy, consumed })
    return copy
  }

  return {
    async insert(request) {
      await scheduler()
      const { digest, userCodeDigest } = request
      if (byDigest.has(digest)) return { outcome: 'taken' }
      if (userCodeDigest !== undefined && byUserCode.has(userCodeDigest)) return { outcome: 'taken' }

      replace(request)
      if (userCodeDigest !== undefined) byUserCode.set(userCodeDigest, digest)
      return { outcome: 'inserted' }
    },

    async find(digest, now) {
      await scheduler()
      return unexpired(digest, now)?.record
    },

    async findByUserCode(userCodeDigest, now) {
      await scheduler()
      const record = unexpired(byUserCode.get(userCodeDigest), now)?.record
      return record?.status === 'pending' && now < record.usableUntil ? record : undefined
    },

    async decide({ digest, decision, now }) {
      await scheduler()
      const stored = unexpired(digest, now)
      if (stored === undefined) return { outcome: 'absent' }
      const { record } = stored
      if (record.status !== 'pending') return { outcome: 'conflict' }
      if (!(now < record.usableUntil)) return { outcome: 'expired' }
      return { outcome: 'decided', record: replace({ ...record, ...decision }) }
    },

    async poll({ digest, clientId, now }) {
      await scheduler()
      const stored = unexpired(digest, now)
      return pollOf(stored, { clientId, now }, replace)
    },
  }
}

function pollOf(
  stored: StoredRequest | undefined,
  { clientId, now }: { readonly clientId: ClientId; readonly now: EpochSeconds },
  replace: (record: DecoupledRequestRecord, consumed?: boolean) => DecoupledRequestRecord,
): PollOutcome {
  if (stored === undefined || stored.record.clientId !== clientId) return { outcome: 'absent' }
  const { record, consumed } = stored
  if (consumed) return { outcome: 'replayed', record }
  if (!(now < record.usableUntil)) return { outcome: 'expired' }
  if (record.status === 'denied') return { outcome: 'denied' }
  if (record.status === 'approved') return { outcome: 'won', record: replace(record, true) }

  const pollInterval = slowedInterval(record, now)
  if (pollInterval === undefined) {
    replace({ ...record, lastPolledAt: now })
    return { outcome: 'pending' }
  }
  replace({ ...record, pollInterval })
  return { outcome: 'slow_down' }
}
