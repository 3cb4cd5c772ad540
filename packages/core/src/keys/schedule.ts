// Over 250 lines: the times of a schedule, the states of keys at a time, and the plan of the next key follow from each
// other.
import {
  after,
  type DurationSeconds,
  type EpochSeconds,
  epochSeconds,
  seconds,
  type SigningKeyRecord,
} from '@mintmark/storage-interface'
import type { KeyId } from '@mintmark/storage-interface/stores'
import * as z from 'zod/mini'

import { documentMaxAge } from './public-document.ts'
import { inWordsFor } from '../schema-messages.ts'
import type { SigningAlgorithm } from './ring.ts'

/**
 * When a signing key changes its state. A new key is announced: it is published but does not sign yet. It signs from
 * the end of its announcement until the next key takes over. Then it is retired: still published and accepted. Finally
 * it is dropped.
 */
export interface KeySchedule {
  /**
   * How long a key is published before it signs. At least the max-age of `/jwks` plus `staleness` (305 seconds): a copy
   * may be that old, and every verifier must have the key when it signs.
   * @defaultValue 86400, 1 day. It also covers caches that keep the key set for longer than they should.
   */
  readonly announce: DurationSeconds
  /**
   * How long a key signs. At least `announce` and `retire` together.
   * @defaultValue 7776000, 90 days. Rotations are then rare enough to cost little, and frequent enough to be routine.
   */
  readonly sign: DurationSeconds
  /**
   * How long a key is published after its last signature. No token may have a longer lifetime.
   * @defaultValue 1209600, 14 days. Clients send expired ID tokens as hints (OIDC Core §3.1.2.1).
   */
  readonly retire: DurationSeconds
  /**
   * How long a key verifies ID tokens that clients send back as hints, after its last signature. At least `retire`.
   * @defaultValue 15552000, 180 days. A client that keeps a user signed in for months sends an old ID token when the
   * user signs out (RP-Initiated Logout §2).
   */
  readonly hints: DurationSeconds
  /**
   * How old a server's copy of the stored keys may be. A change by one process, above all a dropped key, reaches the
   * others within this time.
   * @defaultValue 5. A leaked key is rejected everywhere within seconds, at the cost of one small read every five
   *   seconds.
   */
  readonly staleness: DurationSeconds
}

/** A key schedule as a host configures it: any of its members, in seconds. */
export type KeyScheduleOptions = { readonly [Member in keyof KeySchedule]?: number }

/**
 * Validates a key schedule.
 * @throws TypeError that names the member and says what to change.
 */
export function parseKeySchedule(options: KeyScheduleOptions): KeySchedule {
  const result = schema.safeParse(options, inWordsFor(schema))
  if (!result.success)
    throw new TypeError(`createStoredKeys: Invalid schedule of keys:\n${z.prettifyError(result.error)}`)
  return result.data
}

const day = 86_400

const duration = (minimum: number, fallback: number) =>
  z.pipe(z.prefault(z.int().check(z.minimum(minimum), z.maximum(3650 * day)), fallback), z.transform(seconds))

const schema = z
  .strictObject({
    announce: duration(0, day),
    sign: duration(1, 90 * day),
    retire: duration(1, 14 * day),
    hints: duration(1, 180 * day),
    staleness: duration(0, 5),
  })
  .check(
    // OIDC Core §10.1.1: a key must be in every cached copy of the key set before it signs.
    z.refine(({ announce, staleness }) => announce >= documentMaxAge + staleness, {
      path: ['announce'],
      error: `must be at least ${documentMaxAge} plus staleness, because a copy of /jwks may be that old`,
    }),
    // Otherwise a key would be announced while the key before the previous one is still needed.
    z.refine(({ announce, sign, retire }) => sign >= announce + retire, {
      path: ['sign'],
      error: 'must be at least announce and retire together',
    }),
    // RP-Initiated Logout §2: an older hint must not be refused where a newer one is accepted.
    z.refine(({ hints, retire }) => hints >= retire, { path: ['hints'], error: 'must be at least retire' }),
  )

/**
 * The state of a key. `announced`: published, but does not sign yet. `signing`: signs new tokens. `retired`: no longer
 * signs; its signatures are accepted. `dropped`: neither published nor accepted.
 */
export type KeyState = 'announced' | 'signing' | 'retired' | 'dropped'

/** A key with its state at a given time. */
interface KeyInState {
  readonly record: SigningKeyRecord
  readonly state: KeyState
  /** When it is dropped; `undefined` until a later key of its algorithm exists. */
  readonly dropsAt: EpochSeconds | undefined
}

/**
 * Computes the states of the keys at `now`, by algorithm and in the order in which they sign. States are not stored, so
 * a clock that jumps forward and back leaves every key as it was.
 */
export function keyStates(
  records: readonly SigningKeyRecord[],
  now: EpochSeconds,
  schedule: KeySchedule,
): readonly KeyInState[] {
  return byAlgorithm(records).flatMap((keys) => {
    const cancelled = keys
      .filter(isCancelled)
      .map((record) => ({ record, state: 'dropped', dropsAt: record.droppedAt }) as const)
    return [
      ...cancelled,
      ...statesInOrder(
        keys.filter((key) => !isCancelled(key)),
        now,
        schedule,
      ),
    ]
  })
}

/**
 * Returns the keys that verify ID tokens which clients send back as hints: the keys in use, and earlier keys for as
 * long as the schedule says. A key that was dropped in an emergency verifies nothing.
 */
export const hintKeys = (
  keys: readonly KeyInState[],
  now: EpochSeconds,
  { retire, hints }: KeySchedule,
): readonly SigningKeyRecord[] =>
  keys.flatMap(({ record, dropsAt }) => {
    const isRecent = dropsAt === undefined || now < dropsAt - retire + hints
    return record.droppedAt === undefined && isRecent ? [record] : []
  })

/**
 * Returns the keys whose rows can be deleted: two later keys exist, everything that the next key signed has expired,
 * and the key no longer verifies hints. A wrong clock cannot lead to two later keys, so a key in use is never deleted.
 */
export function removableKeys(
  records: readonly SigningKeyRecord[],
  now: EpochSeconds,
  schedule: KeySchedule,
): readonly SigningKeyRecord[] {
  return byAlgorithm(records).flatMap((keys) =>
    keys.filter((key, index) => {
      const [next, secondAfter] = keys.slice(index + 1).filter((later) => !isCancelled(later))
      if (next === undefined || secondAfter === undefined) return false
      const isHintKey = key.droppedAt === undefined && now < after(next.signsFrom, schedule.hints)
      return !isHintKey && after(secondAfter.signsFrom, schedule.retire) <= now
    }),
  )
}

/**
 * Returns the first time after `now` at which a state changes or a key stops verifying hints, if no key is added or
 * dropped.
 */
export function nextChange(
  keys: readonly KeyInState[],
  now: EpochSeconds,
  { retire, hints }: KeySchedule,
): EpochSeconds {
  const times = keys
    .flatMap(({ record, dropsAt = now }) => [record.signsFrom, dropsAt, dropsAt - retire + hints])
    .filter((time) => time > now)
  return epochSeconds(Math.min(...times, Number.MAX_SAFE_INTEGER))
}

function statesInOrder(
  keys: readonly SigningKeyRecord[],
  now: EpochSeconds,
  schedule: KeySchedule,
): readonly KeyInState[] {
  const begun = keys.findLastIndex(({ signsFrom }) => signsFrom <= now)
  // The last key whose signing time has begun. If it was dropped, or no signing time has begun, the next key signs
  // early.
  const signing = keys.slice(Math.max(begun, 0)).find(({ droppedAt }) => droppedAt === undefined)

  return keys.map((record, index) => {
    const next = keys[index + 1]
    const dropsAt = record.droppedAt ?? (next === undefined ? undefined : after(next.signsFrom, schedule.retire))
    if (record === signing) return { record, state: 'signing', dropsAt }
    const isDropped = record.droppedAt !== undefined || (dropsAt !== undefined && dropsAt <= now)
    return { record, state: isDropped ? 'dropped' : index < begun ? 'retired' : 'announced', dropsAt }
  })
}

/** Whether the key was dropped before its signing time. Such a key never takes over from another key. */
const isCancelled = ({ droppedAt, signsFrom }: SigningKeyRecord): boolean =>
  droppedAt !== undefined && droppedAt < signsFrom

/** Groups the keys by algorithm, in the order in which they sign. */
function byAlgorithm(records: readonly SigningKeyRecord[]): readonly (readonly SigningKeyRecord[])[] {
  const algorithms = [...new Set(records.map(({ algorithm }) => algorithm))]
  return algorithms.map((name) =>
    records
      .filter(({ algorithm }) => algorithm === name)
      .toSorted((a, b) => a.signsFrom - b.signsFrom || a.ordinal - b.ordinal),
  )
}

/** What to do for an algorithm: announce its next key, or wait. */
type RotationPlan =
  | { readonly kind: 'announce'; readonly key: KeyToAnnounce }
  | { readonly kind: 'wait'; readonly keyId: KeyId; readonly until: EpochSeconds }

/** The key to create: its position among the keys of its algorithm, and when it starts to sign. */
export interface KeyToAnnounce {
  readonly algorithm: SigningAlgorithm
  readonly ordinal: number
  readonly signsFrom: EpochSeconds
}

/** `due`: as scheduled. `now`: at once, unless a key is already announced. */
export type RotationTime = 'due' | 'now'

/**
 * Plans the next key of an algorithm. It is announced early enough to take over on schedule and to be published for the
 * whole announcement period. At most one key is announced at a time. If no key can sign, the next one signs at once.
 */
export function planRotation(
  {
    algorithm,
    records,
    when,
  }: {
    readonly algorithm: SigningAlgorithm
    readonly records: readonly SigningKeyRecord[]
    readonly when: RotationTime
  },
  now: EpochSeconds,
  schedule: KeySchedule,
): RotationPlan {
  const keys = records.filter((key) => key.algorithm === algorithm)
  const ordinal = 1 + Math.max(0, ...keys.map((key) => key.ordinal))
  const latest = keyStates(keys, now, schedule).findLast(({ state }) => state === 'announced' || state === 'signing')
  if (latest === undefined) return { kind: 'announce', key: { algorithm, ordinal, signsFrom: now } }

  const { keyId, signsFrom } = latest.record
  const dueAt = epochSeconds(signsFrom + schedule.sign - schedule.announce)
  const isTime = when === 'now' || dueAt <= now
  if (latest.state === 'announced' || !isTime) return { kind: 'wait', keyId, until: dueAt }

  const announced = after(now, schedule.announce)
  const next = when === 'now' ? announced : epochSeconds(Math.max(announced, after(signsFrom, schedule.sign)))
  return { kind: 'announce', key: { algorithm, ordinal, signsFrom: next } }
}
