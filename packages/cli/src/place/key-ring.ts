import { createStoredKeys, type SigningAlgorithm, type StoredKeyRing } from '@mintmark/core'
import type { AdminStorage } from '@mintmark/storage-interface'

import { CommandError, UsageError } from '../command-error.ts'
import type { Io } from '../io.ts'
import { readSealingKey } from './sealing-key.ts'
import type { Settings } from './settings.ts'

/**
 * The keys of the server, as its host has them.
 * @throws UsageError when no sealing key is given, or an option of theirs is wrong.
 */
export async function openKeyRing(storage: AdminStorage, settings: Settings, io: Io): Promise<StoredKeyRing> {
  const sealingKey = await readSealingKey(settings, io)
  if (sealingKey === undefined) {
    throw new UsageError(
      'No sealing key is given: MINTMARK_SEALING_KEY, MINTMARK_SEALING_KEY_FILE, or sealingKeyFile in mintmark.config.json.',
    )
  }
  return ringOf({ storage, clock: io.clock, sealingKey }, settings)
}

/** The same to look at alone: it opens no key and makes none. @throws UsageError */
export const viewKeyRing = (storage: AdminStorage, settings: Settings, io: Io): StoredKeyRing =>
  ringOf({ storage, clock: io.clock, vault: { generate: refuse, open: refuse } }, settings)

type RingBase = Parameters<typeof createStoredKeys>[0]

function ringOf(base: RingBase, { keys: { algorithms, schedule = {} } }: Settings): StoredKeyRing {
  try {
    // What the names may be is for `storedKeys` to say.
    const chosen = algorithms as readonly [SigningAlgorithm, ...SigningAlgorithm[]] | undefined
    return createStoredKeys({
      ...base,
      ...(chosen !== undefined && { algorithms: chosen }),
      schedule: withoutUndefined(schedule),
    })
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    throw new UsageError(cause.message, { cause })
  }
}

const withoutUndefined = (schedule: Readonly<Record<string, number | undefined>>): Record<string, number> =>
  Object.fromEntries(Object.entries(schedule).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

const refuse = (): Promise<never> => Promise.reject(new CommandError('The keys were opened to be looked at alone.'))
