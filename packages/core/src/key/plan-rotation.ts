import { after, epochSeconds, type EpochSeconds, type KeyId, type SigningKeyRecord } from '@mintmark/storage-interface'

import type { KeyToAnnounce } from './announce-key.ts'
import type { SigningAlgorithm } from './key-ring.ts'
import type { KeySchedule } from './key-schedule.ts'
import { keyStates } from './key-state.ts'

/** What is to be done for an algorithm: make its next key, or nothing until a time. */
export type RotationPlan =
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
