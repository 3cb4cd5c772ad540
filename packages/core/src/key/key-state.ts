import { after, epochSeconds, type EpochSeconds, type SigningKeyRecord } from '@mintmark/storage-interface'

import type { KeySchedule } from './key-schedule.ts'

/**
 * Where a key is in its life. `announced`: published, does not sign yet. `signing`. `retired`: signs no more, what it signed
 * is accepted. `dropped`: neither published nor accepted.
 */
export type KeyState = 'announced' | 'signing' | 'retired' | 'dropped'

/** A key with its state at some time. */
export interface KeyInState {
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
