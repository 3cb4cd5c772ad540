import { seconds, type DurationSeconds, type EpochSeconds, type KeyId } from '@mintmark/storage-interface'

import { keyStates, type KeyState } from './key-state.ts'
import type { StoredKeyRing } from './stored-key-ring.ts'

/** A signing key as an administrator may see it: nothing of its private half. */
export interface KeyDescription {
  readonly keyId: KeyId
  /** JWS algorithm; also one that the ring no longer signs with. */
  readonly algorithm: string
  readonly state: KeyState
  readonly createdAt: EpochSeconds
  /** Since its creation. */
  readonly age: DurationSeconds
  readonly signsFrom: EpochSeconds
  /** From here on it is, or was, dropped; `undefined` while no later key is announced. */
  readonly dropsAt: EpochSeconds | undefined
}

/**
 * The keys in storage as they are now, by algorithm and in the order in which they sign.
 * @throws StorageUnavailableError
 */
export async function listKeys({ settings }: StoredKeyRing): Promise<readonly KeyDescription[]> {
  const now = settings.clock()
  const records = await settings.storage.signingKeys.list()
  return keyStates(records, now, settings.schedule).map(({ record, state, dropsAt }) => ({
    keyId: record.keyId,
    algorithm: record.algorithm,
    state,
    createdAt: record.createdAt,
    age: seconds(now - record.createdAt),
    signsFrom: record.signsFrom,
    dropsAt,
  }))
}
