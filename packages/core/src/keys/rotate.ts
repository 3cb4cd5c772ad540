import {
  keyId,
  seconds,
  type DurationSeconds,
  type EpochSeconds,
  type KeyId,
  type RevokeOutcome,
  type SigningKeyRecord,
} from '@mintmark/storage-interface'

import { announceKey, ensureSigningKeys } from './announce.ts'
import type { SigningAlgorithm } from './ring.ts'
import { keyStates, planRotation, removableKeys, type KeyState, type RotationTime } from './schedule.ts'
import type { StoredKeyRing, StoredKeySettings } from './settings.ts'

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

/**
 * Drops a key in an emergency: it signs no more, is not published, and what it signed is refused. The announced key takes over
 * at once, or a new one does. On this ring it holds from the next request on; every other process knows after
 * `schedule.staleness` at the latest. APIs that check signatures by themselves keep their copy of `/jwks` for as long as it
 * may be old, 300 seconds.
 * @returns `ended` for whoever dropped it, `unchanged` when it was dropped before, `absent` when there is no such key.
 * @throws StorageUnavailableError, and whatever the vault throws when a new key is made; the key is dropped even so, and
 *   calling it again, or the next request of any server, makes the new one.
 */
export async function dropKey(kid: string, keys: StoredKeyRing): Promise<RevokeOutcome> {
  const { settings } = keys
  const now = settings.clock()
  const dropped = await settings.storage.signingKeys.drop(keyId(kid), now)
  keys.reload()
  await ensureSigningKeys(now, settings)
  keys.reload()
  return dropped
}

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

/**
 * Rotates the keys of a ring that does so by itself. It is asked whenever the keys were looked at, and nobody waits for it: a
 * vault that is down costs no request anything while the present keys can sign.
 */
export function rotateInBackground(
  ring: StoredKeyRing,
): (records: readonly SigningKeyRecord[], now: EpochSeconds) => void {
  const { algorithms, schedule, rotation, onRotationFailed } = ring.settings
  let triedAt: EpochSeconds | undefined

  return (records, now) => {
    if (rotation === 'manual') return
    const isTooSoon = triedAt !== undefined && triedAt <= now && now < triedAt + pauseBetweenTries
    const isDue = algorithms.some(
      (algorithm) => planRotation({ algorithm, records, when: 'due' }, now, schedule).kind === 'announce',
    )
    if (isTooSoon || !isDue) return
    triedAt = now
    void rotateKeys(ring).catch(onRotationFailed)
  }
}

/** In seconds. */
const pauseBetweenTries = 60
