import type { KeyId } from '../values.ts'
import type { SigningKeyRecord, SigningKeyStore } from '../signing-key.ts'
import { writeRevocation, type RevocationTable } from './revocation-table.ts'
import { type SchedulerHook, frozenCopy } from './rows.ts'

export type SigningKeyTable = Map<KeyId, SigningKeyRecord>

export const createSigningKeyTable = (): SigningKeyTable => new Map()

interface SigningKeyTables {
  readonly signingKeys: SigningKeyTable
  readonly revocations: RevocationTable
}

export function createMemorySigningKeys(
  { signingKeys: keys, revocations }: SigningKeyTables,
  scheduler: SchedulerHook,
): SigningKeyStore {
  return {
    async insert(key) {
      await scheduler()
      const isOrdinalTaken = [...keys.values()].some(
        (other) => other.algorithm === key.algorithm && other.ordinal === key.ordinal,
      )
      if (keys.has(key.keyId) || isOrdinalTaken) return { outcome: 'taken' }

      keys.set(key.keyId, frozenCopy(key))
      return { outcome: 'inserted' }
    },

    async list() {
      await scheduler()
      return [...keys.values()].toSorted((a, b) => a.createdAt - b.createdAt)
    },

    async drop({ keyId, droppedAt, rowMac }) {
      await scheduler()
      const key = keys.get(keyId)
      if (key === undefined) return { outcome: 'absent' }
      if (key.droppedAt !== undefined) return { outcome: 'unchanged' }

      keys.set(keyId, frozenCopy({ ...key, droppedAt, rowMac }))
      writeRevocation(revocations, { kind: 'key', keyId }, droppedAt)
      return { outcome: 'revoked' }
    },

    async remove(keyId) {
      await scheduler()
      return { outcome: keys.delete(keyId) ? 'removed' : 'absent' }
    },
  }
}
