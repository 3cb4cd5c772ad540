import type { KeyId } from '../identifiers.ts'
import type { SigningKeyRecord, SigningKeyStore } from '../signing-key.ts'
import { frozenCopy } from './frozen-copy.ts'
import type { Pause } from './pause.ts'

export interface SigningKeyTable {
  readonly byId: Map<KeyId, SigningKeyRecord>
  readonly ordinals: Map<string, Set<number>>
}

export const createSigningKeyTable = (): SigningKeyTable => ({ byId: new Map(), ordinals: new Map() })

export function createMemorySigningKeys(keys: SigningKeyTable, pause: Pause): SigningKeyStore {
  return {
    async insert(key) {
      await pause()
      const ordinals = keys.ordinals.get(key.algorithm) ?? new Set<number>()
      if (keys.byId.has(key.keyId) || ordinals.has(key.ordinal)) return { outcome: 'taken' }

      keys.byId.set(key.keyId, frozenCopy(key))
      keys.ordinals.set(key.algorithm, ordinals.add(key.ordinal))
      return { outcome: 'inserted' }
    },

    async list() {
      await pause()
      return [...keys.byId.values()].toSorted((a, b) => a.createdAt - b.createdAt)
    },
  }
}
