import type { AuthorizationCodeRecord, AuthorizationCodeStore } from '../authorization-code.ts'
import type { ClientId, SecretDigest } from '../identifiers.ts'
import type { EpochSeconds } from '../time.ts'
import { createExpiringRows, type ExpiringRows } from './expiring-rows.ts'
import { frozenCopy } from './frozen-copy.ts'
import type { SchedulerHook } from './scheduler-hook.ts'

interface StoredCode {
  readonly record: AuthorizationCodeRecord
  readonly consumed: boolean
}

export type CodeTable = ExpiringRows<SecretDigest, StoredCode>

export const createCodeTable = (): CodeTable => createExpiringRows(({ record }) => record.expiresAt)

export function createMemoryCodes(codes: CodeTable, pause: SchedulerHook): AuthorizationCodeStore {
  return {
    async insert(code) {
      await pause()
      if (codes.has(code.digest)) return { outcome: 'taken' }

      codes.set(code.digest, { record: frozenCopy(code), consumed: false })
      return { outcome: 'inserted' }
    },

    async find(digest, clientId, now) {
      await pause()
      return findUnexpired(codes.get(digest), clientId, now)?.record
    },

    async consume(digest, clientId, now) {
      await pause()
      const stored = findUnexpired(codes.get(digest), clientId, now)
      if (stored === undefined) return { outcome: 'absent' }
      if (stored.consumed) return { outcome: 'replayed', record: stored.record }

      codes.set(digest, { record: stored.record, consumed: true })
      return { outcome: 'won', record: stored.record }
    },
  }
}

/** RFC 6749 §4.1.3: the code counts for the client it was issued to, and only until it expires. */
function findUnexpired(stored: StoredCode | undefined, clientId: ClientId, now: EpochSeconds): StoredCode | undefined {
  if (stored === undefined || stored.record.clientId !== clientId) return undefined
  return now < stored.record.expiresAt ? stored : undefined
}
