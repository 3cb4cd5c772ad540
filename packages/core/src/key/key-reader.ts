import type { EpochSeconds, SigningKeyRecord } from '@mintmark/storage-interface'

import { ensureSigningKeys } from './ensure-signing-keys.ts'
import type { StoredKeySettings } from './stored-key-settings.ts'

/** Reads the keys from storage, and keeps what it read for the schedule's `staleness`. */
export interface KeyReader {
  /** The keys as they were at most `staleness` ago; the same list while it is kept. @throws StorageUnavailableError */
  read(now: EpochSeconds): Promise<readonly SigningKeyRecord[]>
  /** Forgets what was read. */
  forget(): void
}

/** One reader for each ring: however many requests want the keys, storage is asked once. */
export function createKeyReader(settings: StoredKeySettings): KeyReader {
  let kept: { readonly at: EpochSeconds; readonly records: Promise<readonly SigningKeyRecord[]> } | undefined

  function startReading(at: EpochSeconds): NonNullable<typeof kept> {
    const reading = { at, records: ensureSigningKeys(at, settings) }
    // A store that was down for a moment must not keep the keys from being read later.
    reading.records.catch(() => {
      if (kept === reading) kept = undefined
    })
    return reading
  }

  return {
    read(now) {
      // A clock that stepped back would otherwise keep the picture for as long as the step was wide.
      const isFresh = kept !== undefined && kept.at <= now && now < kept.at + settings.schedule.staleness
      if (kept === undefined || !isFresh) kept = startReading(now)
      return kept.records
    },
    forget() {
      kept = undefined
    },
  }
}
