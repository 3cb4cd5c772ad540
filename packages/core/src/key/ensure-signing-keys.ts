import type { EpochSeconds, SigningKeyRecord } from '@mintmark/storage-interface'

import { announceKey } from './announce-key.ts'
import { keyStates } from './key-state.ts'
import { planRotation } from './plan-rotation.ts'
import type { StoredKeySettings } from './stored-key-settings.ts'

/**
 * Makes sure that a key signs with each algorithm: where there is none, neither a first one nor one that was announced, a new
 * one signs at once. Servers that find so at the same time agree on one.
 * @returns all keys in storage.
 */
export async function ensureSigningKeys(
  now: EpochSeconds,
  settings: StoredKeySettings,
): Promise<readonly SigningKeyRecord[]> {
  const { storage, algorithms, schedule } = settings
  const records = await storage.signingKeys.list()
  const signing = keyStates(records, now, schedule).filter(({ state }) => state === 'signing')
  const lacking = algorithms.filter((algorithm) => !signing.some(({ record }) => record.algorithm === algorithm))
  if (lacking.length === 0) return records

  for (const algorithm of lacking) {
    const plan = planRotation({ algorithm, records, when: 'due' }, now, schedule)
    // Whoever inserts first wins; a server that lost the race finds the winner's key in the list below.
    if (plan.kind === 'announce') await announceKey(plan.key, now, settings)
  }
  return storage.signingKeys.list()
}
