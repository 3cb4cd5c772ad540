import type { EpochSeconds, SigningKeyRecord } from '@mintmark/storage-interface'

import { ensureSigningKeys } from './announce.ts'
import { isSigningAlgorithm, type PublicKey } from './ring.ts'
import { rotateInBackground } from './rotate.ts'
import { keyStates, nextChange } from './schedule.ts'
import {
  parseStoredKeySettings,
  type StoredKeyRing,
  type StoredKeySettings,
  type StoredKeysOptions,
} from './settings.ts'
import { vaultSigners } from './vault.ts'

/**
 * A key ring kept in storage. The first server to need a key makes it; servers that start at the same time agree on one.
 * Keys are read at first use, and again when they were read longer than `schedule.staleness` ago; while storage is down
 * nothing is signed or accepted on an older picture.
 * @throws TypeError at once when an option is wrong; Error at the first signature when the key was sealed with another key.
 */
export function createStoredKeys(options: StoredKeysOptions): StoredKeyRing {
  const settings = parseStoredKeySettings(options)
  const reader = createKeyReader(settings)
  const openSigner = vaultSigners(settings.vault)
  let view: KeyView | undefined

  const look = async (): Promise<KeyView> => {
    const now = settings.clock()
    const records = await reader.read(now)
    if (view?.records === records && view.from <= now && now < view.until) return view
    view = keyViewAt(now, { records, previous: view }, settings)
    rotate(records, now)
    return view
  }

  const ring: StoredKeyRing = {
    settings,
    algorithms: settings.algorithms,
    retirement: settings.schedule.retire,
    reload: () => reader.forget(),
    async signer(algorithm) {
      const key = (await look()).signing.get(algorithm)
      if (key === undefined) throw new TypeError(`The key ring does not sign with ${algorithm}.`)
      return openSigner(key, algorithm)
    },
    publicKeys: async () => (await look()).publicKeys,
  }
  const rotate = rotateInBackground(ring)
  return ring
}

/** Reads the keys from storage, and keeps what it read for the schedule's `staleness`. */
interface KeyReader {
  /** The keys as they were at most `staleness` ago; the same list while it is kept. @throws StorageUnavailableError */
  read(now: EpochSeconds): Promise<readonly SigningKeyRecord[]>
  /** Forgets what was read. */
  forget(): void
}

/** One reader for each ring: however many requests want the keys, storage is asked once. */
function createKeyReader(settings: StoredKeySettings): KeyReader {
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

/** What the keys in storage amount to, from one time until another. */
interface KeyView {
  readonly records: readonly SigningKeyRecord[]
  readonly from: EpochSeconds
  readonly until: EpochSeconds
  /** The key that signs, by algorithm. */
  readonly signing: ReadonlyMap<string, SigningKeyRecord>
  /** As `KeyRing.publicKeys`. */
  readonly publicKeys: readonly PublicKey[]
}

/** @param previous the view before: as long as the keys are the same, its list of them stays the same. */
function keyViewAt(
  now: EpochSeconds,
  { records, previous }: { readonly records: readonly SigningKeyRecord[]; readonly previous: KeyView | undefined },
  { algorithms, schedule }: Pick<StoredKeySettings, 'algorithms' | 'schedule'>,
): KeyView {
  const keys = keyStates(records, now, schedule)
  const signing = keys.flatMap(({ record, state }) =>
    state === 'signing' && algorithms.some((own) => own === record.algorithm)
      ? [[record.algorithm, record] as const]
      : [],
  )
  const published = keys.flatMap(({ record, state }) => (state === 'dropped' ? [] : [record])).toSorted(oldestFirst)
  const known = previous?.publicKeys ?? []
  return {
    records,
    from: now,
    until: nextChange(keys, now),
    signing: new Map(signing),
    publicKeys: unlessTheSame(
      published.flatMap((record) => known.find(({ keyId }) => keyId === record.keyId) ?? publicKey(record)),
      known,
    ),
  }
}

/** A key of an algorithm that only a later version knows is that version's business. */
const publicKey = ({ keyId, algorithm, publicJwk }: SigningKeyRecord): readonly PublicKey[] =>
  isSigningAlgorithm(algorithm) ? [{ keyId, algorithm, jwk: publicJwk }] : []

/** The same in every process, also of keys that were made in the same second. */
const oldestFirst = (a: SigningKeyRecord, b: SigningKeyRecord): number =>
  a.createdAt - b.createdAt || (a.keyId < b.keyId ? -1 : 1)

const unlessTheSame = (keys: readonly PublicKey[], before: readonly PublicKey[]): readonly PublicKey[] =>
  keys.length === before.length && keys.every((key, index) => key === before[index]) ? before : keys
