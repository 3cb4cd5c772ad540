import {
  after,
  epochSeconds,
  seconds,
  type DurationSeconds,
  type EpochSeconds,
  type KeyId,
  type SigningKeyRecord,
} from '@mintmark/storage-interface'
import * as z from 'zod/mini'

import { documentMaxAge } from '../discovery/public-document.ts'
import { inWords } from '../error/in-words.ts'
import type { KeyToAnnounce } from './announce.ts'
import type { SigningAlgorithm } from './ring.ts'

/**
 * When a signing key changes its state. It is announced when it is made, and published from then on; it signs when its
 * announcement is over, until the next key does; then it is retired, still published and accepted; then it is dropped.
 */
export interface KeySchedule {
  /**
   * How long a key is published before it signs. At least as long as a copy of `/jwks` may be old, so that whoever
   * checks a signature has the key by then: its max-age and `staleness`, 305 seconds.
   * @defaultValue 86400, 1 day. Also caches that keep it for longer than they were told have it by then.
   */
  readonly announce: DurationSeconds
  /**
   * How long a key signs. At least `announce` and `retire` together.
   * @defaultValue 7776000, 90 days. Long enough to be no event, short enough that it is practised.
   */
  readonly sign: DurationSeconds
  /**
   * How long a key is published after it has signed its last. No token may live longer.
   * @defaultValue 1209600, 14 days. ID tokens come back as hints after they have expired (OIDC Core §3.1.2.1).
   */
  readonly retire: DurationSeconds
  /**
   * How old the picture may be that a server has of the keys in storage. What one process does, a dropped key above
   * all, the others know after so long at the latest.
   * @defaultValue 5. A key that leaked is gone everywhere within seconds, for one read of a few rows in five seconds.
   */
  readonly staleness: DurationSeconds
}

/** A schedule as a host writes it: any of its members, in seconds. */
export type KeyScheduleOptions = { readonly [Member in keyof KeySchedule]?: number }

/** @throws TypeError that names the member and says what to change. */
export function parseKeySchedule(options: KeyScheduleOptions): KeySchedule {
  const result = schema.safeParse(options, inWords)
  if (!result.success) throw new TypeError(`Invalid schedule of keys:\n${z.prettifyError(result.error)}`)
  return result.data
}

const day = 86_400

const duration = (least: number, fallback: number) =>
  z.pipe(z.prefault(z.int().check(z.minimum(least), z.maximum(3650 * day)), fallback), z.transform(seconds))

const schema = z
  .strictObject({
    announce: duration(0, day),
    sign: duration(1, 90 * day),
    retire: duration(1, 14 * day),
    staleness: duration(0, 5),
  })
  .check(
    // OIDC Core §10.1.1: a key is in the key set before it signs, also in the copies of the set that may still be in use.
    z.refine(({ announce, staleness }) => announce >= documentMaxAge + staleness, {
      path: ['announce'],
      error: `must be at least ${documentMaxAge} and staleness together: so old may a copy of /jwks be`,
    }),
    // With less, a key would be announced while the one before the last is still needed.
    z.refine(({ announce, sign, retire }) => sign >= announce + retire, {
      path: ['sign'],
      error: 'must be at least announce and retire together',
    }),
  )

/**
 * Where a key is in its life. `announced`: published, does not sign yet. `signing`. `retired`: signs no more, what it signed
 * is accepted. `dropped`: neither published nor accepted.
 */
export type KeyState = 'announced' | 'signing' | 'retired' | 'dropped'

/** A key with its state at some time. */
interface KeyInState {
  readonly record: SigningKeyRecord
  readonly state: KeyState
  /** From here on it is dropped; `undefined` while no later key of its algorithm is known. */
  readonly dropsAt: EpochSeconds | undefined
}

/**
 * The states of the keys at `now`, by algorithm and in the order in which they sign. Nothing of it is stored: a clock that
 * steps forward and back again finds every key as it was.
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
      ...succession(
        keys.filter((key) => !isCancelled(key)),
        now,
        schedule,
      ),
    ]
  })
}

/**
 * The keys whose rows nobody needs any more. Two later keys have come, and what the one after it signed has expired as well:
 * a clock that stands wrong for a while, however far, makes no two keys, and so removes none that is in use.
 */
export function removableKeys(
  records: readonly SigningKeyRecord[],
  now: EpochSeconds,
  schedule: KeySchedule,
): readonly SigningKeyRecord[] {
  return byAlgorithm(records).flatMap((keys) =>
    keys.filter((key, index) => {
      const secondAfter = keys.slice(index + 1).filter((later) => !isCancelled(later))[1]
      return secondAfter !== undefined && after(secondAfter.signsFrom, schedule.retire) <= now
    }),
  )
}

/** The first time after `now` at which a state changes, if nobody adds or drops a key. */
export function nextChange(keys: readonly KeyInState[], now: EpochSeconds): EpochSeconds {
  const times = keys.flatMap(({ record, dropsAt = now }) => [record.signsFrom, dropsAt]).filter((time) => time > now)
  return epochSeconds(Math.min(...times, Number.MAX_SAFE_INTEGER))
}

function succession(
  keys: readonly SigningKeyRecord[],
  now: EpochSeconds,
  schedule: KeySchedule,
): readonly KeyInState[] {
  const begun = keys.findLastIndex(({ signsFrom }) => signsFrom <= now)
  // The last whose time has come. When that was dropped, or the clock stands before them all, the next one signs early.
  const signing = keys.slice(Math.max(begun, 0)).find(({ droppedAt }) => droppedAt === undefined)

  return keys.map((record, index) => {
    const next = keys[index + 1]
    const dropsAt = record.droppedAt ?? (next === undefined ? undefined : after(next.signsFrom, schedule.retire))
    if (record === signing) return { record, state: 'signing', dropsAt }
    const isOver = record.droppedAt !== undefined || (dropsAt !== undefined && dropsAt <= now)
    return { record, state: isOver ? 'dropped' : index < begun ? 'retired' : 'announced', dropsAt }
  })
}

/** Dropped before its time came: it succeeds no other key. */
const isCancelled = ({ droppedAt, signsFrom }: SigningKeyRecord): boolean =>
  droppedAt !== undefined && droppedAt < signsFrom

/** The keys of each algorithm, in the order in which they sign. */
function byAlgorithm(records: readonly SigningKeyRecord[]): readonly (readonly SigningKeyRecord[])[] {
  const algorithms = [...new Set(records.map(({ algorithm }) => algorithm))]
  return algorithms.map((name) =>
    records
      .filter(({ algorithm }) => algorithm === name)
      .toSorted((a, b) => a.signsFrom - b.signsFrom || a.ordinal - b.ordinal),
  )
}

/** What is to be done for an algorithm: make its next key, or nothing until a time. */
type RotationPlan =
  | { readonly kind: 'announce'; readonly key: KeyToAnnounce }
  | { readonly kind: 'wait'; readonly keyId: KeyId; readonly until: EpochSeconds }

/** `due`: as the schedule says. `now`: at once, unless a key is announced already. */
export type RotationTime = 'due' | 'now'

/**
 * Plans the next key of an algorithm: announced so early that it takes over in time, and never too late to be announced for as
 * long as it has to. At most one key is announced at a time. Where no key can sign, the next one signs at once.
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
