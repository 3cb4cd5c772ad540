import {
  type DurationSeconds,
  type EpochSeconds,
  keyId,
  seconds,
  type SigningKeyRecord,
} from '@mintmark/storage-interface'
import type { KeyId, RevokeOutcome } from '@mintmark/storage-interface/stores'

import { withNextOrdinal, announceKey, ensureSigningKeys } from './announce.ts'
import { authenticKeys, proveKeysInUse, proveOtherKeyInUse, withRowMac } from './authenticate-keys.ts'
import type { SigningAlgorithm } from './ring.ts'
import { keyStates, planRotation, removableKeys, type KeyState, type RotationTime } from './schedule.ts'
import type { StoredKeySettings } from './settings.ts'

/** A key ring whose stored keys can be changed. */
interface ChangeableRing {
  readonly settings: StoredKeySettings
  /** Makes the next request read storage again. */
  reload(): void
}

/** The result of a rotation. */
export interface KeyRotation {
  readonly algorithms: readonly AlgorithmRotation[]
  /** Keys that were dropped long ago and are now deleted. */
  readonly removed: readonly KeyId[]
}

/**
 * `announced`: this call created the key. `announced_elsewhere`: another process created it at the same time.
 * `waiting`: the next key is not due before `until`, or is already announced.
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

/** Implements `rotate` of `StoredKeyRing`. */
export async function rotateKeys(
  keys: ChangeableRing,
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
  const allRecords = await settings.storage.signingKeys.list()
  await proveKeysInUse(allRecords, now, settings)
  const records = await authenticKeys(allRecords, settings)
  const plan = planRotation({ algorithm, records, when }, now, settings.schedule)
  if (plan.kind === 'wait') return { outcome: 'waiting', algorithm, keyId: plan.keyId, until: plan.until }

  const { outcome, key } = await announceKey(withNextOrdinal(plan.key, allRecords), now, settings)
  if (outcome === 'inserted') return { outcome: 'announced', algorithm, keyId: key.keyId, signsFrom: key.signsFrom }
  const winner = (await settings.storage.signingKeys.list()).find(
    (other) => other.algorithm === algorithm && other.ordinal === key.ordinal,
  )
  if (winner === undefined) throw new Error('The vault created a key that is already in use.')
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

/** Implements `drop` of `StoredKeyRing`. */
export async function dropKey(kid: string, keys: ChangeableRing): Promise<RevokeOutcome> {
  const { settings } = keys
  const now = settings.clock()
  const dropped = await dropRow(keyId(kid), now, settings)
  keys.reload()
  await ensureSigningKeys(now, settings)
  keys.reload()
  return dropped
}

async function dropRow(kid: KeyId, now: EpochSeconds, settings: StoredKeySettings): Promise<RevokeOutcome> {
  const { signingKeys } = settings.storage
  const records = await signingKeys.list()
  const row = records.find((record) => record.keyId === kid)
  if (row === undefined) return { outcome: 'absent' }
  const [authentic] = await authenticKeys([row], settings)
  if (authentic === undefined) return removeForeignRow(row, { records, now }, settings)
  const { rowMac } = await withRowMac({ ...authentic, droppedAt: now }, settings)
  return signingKeys.drop({ keyId: kid, droppedAt: now, rowMac })
}

/**
 * Removes a row that somebody else wrote. The row must not get a valid MAC, and must not stay, because it would take
 * the place of a key that signs. It is dropped first, so that the revocation feed reports it to APIs.
 */
async function removeForeignRow(
  row: SigningKeyRecord,
  at: { readonly records: readonly SigningKeyRecord[]; readonly now: EpochSeconds },
  settings: StoredKeySettings,
): Promise<RevokeOutcome> {
  await proveOtherKeyInUse(row, at, settings)
  const { signingKeys } = settings.storage
  const dropped = await signingKeys.drop({ keyId: row.keyId, droppedAt: at.now, rowMac: row.rowMac })
  await signingKeys.remove(row.keyId)
  return dropped
}

/** A signing key as an administrator sees it, without its private half. */
export interface KeyDescription {
  readonly keyId: KeyId
  /** JWS algorithm, possibly one that the ring no longer signs with. */
  readonly algorithm: string
  readonly state: KeyState
  readonly createdAt: EpochSeconds
  /** The time since the key was created. */
  readonly age: DurationSeconds
  readonly signsFrom: EpochSeconds
  /** When it is or was dropped; `undefined` until a later key is announced. */
  readonly dropsAt: EpochSeconds | undefined
}

/** Implements `list` of `StoredKeyRing`. */
export async function listKeys({ settings }: ChangeableRing): Promise<readonly KeyDescription[]> {
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
 * Returns a function that rotates the keys if rotation is automatic and due. Call it after the keys were read. No request
 * waits for the rotation: while the current keys can sign, a vault outage does not affect requests.
 */
export function rotateInBackground(
  ring: ChangeableRing,
): (records: readonly SigningKeyRecord[], now: EpochSeconds) => void {
  const { algorithms, schedule, rotation, onRotationFailed } = ring.settings
  let triedAt: EpochSeconds | undefined

  return (records, now) => {
    if (rotation === 'manual') return
    const isTooSoon = triedAt !== undefined && triedAt <= now && now < triedAt + retryInterval
    const isDue = algorithms.some(
      (algorithm) => planRotation({ algorithm, records, when: 'due' }, now, schedule).kind === 'announce',
    )
    if (isTooSoon || !isDue) return
    triedAt = now
    void rotateKeys(ring).catch(onRotationFailed)
  }
}

/** In seconds. */
const retryInterval = 60
