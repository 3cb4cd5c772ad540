import type { EpochSeconds, KeyId } from '@mintmark/storage-interface'

import { announceKey } from './announce-key.ts'
import type { SigningAlgorithm } from './key-ring.ts'
import { removableKeys } from './key-state.ts'
import { planRotation, type RotationTime } from './plan-rotation.ts'
import type { StoredKeyRing } from './stored-key-ring.ts'
import type { StoredKeySettings } from './stored-key-settings.ts'

/** What a rotation has done. */
export interface KeyRotation {
  /** One for each algorithm of the ring. */
  readonly algorithms: readonly AlgorithmRotation[]
  /** Keys that had long been dropped: their rows are gone. */
  readonly removed: readonly KeyId[]
}

/**
 * `announced`: this call made the key. `announced_elsewhere`: another process did at the same time, and there is one key, not
 * two. `waiting`: it is not time yet, or a key is announced already; the next is made from `until` on.
 */
export type AlgorithmRotation =
  | {
      readonly outcome: 'announced' | 'announced_elsewhere'
      readonly algorithm: SigningAlgorithm
      readonly keyId: KeyId
      readonly signsFrom: EpochSeconds
    }
  | {
      readonly outcome: 'waiting'
      readonly algorithm: SigningAlgorithm
      readonly keyId: KeyId
      readonly until: EpochSeconds
    }

/**
 * Moves the keys along their schedule: announces the next key of each algorithm whose time has come, and clears away what was
 * dropped long ago. Call it every day or so, from one process or from all; what is not due is left alone. Servers notice by
 * themselves, none has to restart.
 * @param when `now` announces the next keys although the present ones are young.
 * @throws StorageUnavailableError, and whatever the vault throws; calling it again goes on from there.
 */
export async function rotateKeys(
  keys: StoredKeyRing,
  { when = 'due' }: { readonly when?: RotationTime } = {},
): Promise<KeyRotation> {
  const { settings } = keys
  const now = settings.clock()
  const algorithms: AlgorithmRotation[] = []
  for (const algorithm of settings.algorithms)
    algorithms.push(await rotateAlgorithm({ algorithm, when }, now, settings))
  const removed = await removeLongDropped(now, settings)
  keys.reload()
  return { algorithms, removed }
}

async function rotateAlgorithm(
  { algorithm, when }: { readonly algorithm: SigningAlgorithm; readonly when: RotationTime },
  now: EpochSeconds,
  settings: StoredKeySettings,
): Promise<AlgorithmRotation> {
  const records = await settings.storage.signingKeys.list()
  const plan = planRotation({ algorithm, records, when }, now, settings.schedule)
  if (plan.kind === 'wait') return { outcome: 'waiting', algorithm, keyId: plan.keyId, until: plan.until }

  const { outcome, key } = await announceKey(plan.key, now, settings)
  if (outcome === 'inserted') return { outcome: 'announced', algorithm, keyId: key.keyId, signsFrom: key.signsFrom }
  const winner = (await settings.storage.signingKeys.list()).find(
    (other) => other.algorithm === algorithm && other.ordinal === key.ordinal,
  )
  if (winner === undefined) throw new Error('The vault made a key that is in use already.')
  return { outcome: 'announced_elsewhere', algorithm, keyId: winner.keyId, signsFrom: winner.signsFrom }
}

async function removeLongDropped(
  now: EpochSeconds,
  { storage, schedule }: StoredKeySettings,
): Promise<readonly KeyId[]> {
  const removed: KeyId[] = []
  for (const { keyId } of removableKeys(await storage.signingKeys.list(), now, schedule)) {
    const { outcome } = await storage.signingKeys.remove(keyId)
    if (outcome === 'removed') removed.push(keyId)
  }
  return removed
}
