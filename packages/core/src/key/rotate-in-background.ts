import type { EpochSeconds, SigningKeyRecord } from '@mintmark/storage-interface'

import { planRotation } from './plan-rotation.ts'
import { rotateKeys } from './rotate-keys.ts'
import type { StoredKeyRing } from './stored-key-ring.ts'

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
