import { epochSeconds, type EpochSeconds, type AdminStorage } from '@mintmark/storage-interface'
import { createMemoryDatabase, createMemoryStorage, type MemoryDatabase } from '@mintmark/storage-interface/memory'

import type { StoredKeysOptions } from '../src/keys/settings.ts'

import { createStoredKeys, type StoredKeyRing } from '../src/keys/stored-keys.ts'

/** A ring with a short schedule over memory storage, with a clock that a test sets. */
export interface RingUnderTest {
  readonly ring: StoredKeyRing
  readonly storage: AdminStorage
  /** The time in seconds, set by a test. */
  readonly clock: { now: number }
  /** Opens another ring over the same keys, as another process would. */
  readonly openAnother: () => StoredKeyRing
  /** Returns the states of the keys, in the order in which the keys sign. */
  readonly states: () => Promise<readonly string[]>
}

export const issuer = 'https://as.test'
export const sealingKey = 'A'.repeat(43)

/** Announced for 1,000 seconds, signing for 10,000, retired for 2,000; hints are accepted no longer than tokens. */
export const schedule = { announce: 1000, sign: 10_000, retire: 2000, hints: 2000 }

type Change = Partial<Omit<StoredKeysOptions, 'storage' | 'sealingKey' | 'issuerSecret' | 'clock'>> & {
  readonly database?: MemoryDatabase
}

export function aRing({ database = createMemoryDatabase(), vault, ...change }: Change = {}): RingUnderTest {
  const clock = { now: 1_790_000_000 }
  const openStorage = (): AdminStorage => createMemoryStorage({ issuer, database })
  const now = (): EpochSeconds => epochSeconds(clock.now)
  const common = { algorithms: ['ES256'], schedule, clock: now, ...change } as const
  const openAnother = (): StoredKeyRing =>
    vault === undefined
      ? createStoredKeys({ ...common, storage: openStorage(), sealingKey })
      : createStoredKeys({ ...common, storage: openStorage(), vault, issuerSecret: sealingKey })
  const ring = openAnother()

  return {
    ring,
    storage: openStorage(),
    clock,
    openAnother,
    states: async () => (await ring.list()).map(({ state }) => state),
  }
}

/** Returns the identifiers of the keys that a ring publishes. */
export const publishedKeyIds = async (ring: StoredKeyRing): Promise<readonly string[]> =>
  (await ring.publicKeys()).map(({ keyId }) => keyId)

/** Returns the identifier of the key that signs. */
export const signingKeyId = async (ring: StoredKeyRing): Promise<string> => (await ring.signer('ES256')).keyId
