import type { EpochSeconds, SigningKeyRecord } from '@mintmark/storage-interface'

import type { PublicKey } from './key-ring.ts'
import { keyStates, nextChange } from './key-state.ts'
import { isSigningAlgorithm } from './runtime-algorithm.ts'
import type { StoredKeySettings } from './stored-key-settings.ts'

/** What the keys in storage amount to, from one time until another. */
export interface KeyView {
  readonly records: readonly SigningKeyRecord[]
  readonly from: EpochSeconds
  readonly until: EpochSeconds
  /** The key that signs, by algorithm. */
  readonly signing: ReadonlyMap<string, SigningKeyRecord>
  /** As `KeyRing.publicKeys`. */
  readonly publicKeys: readonly PublicKey[]
}

/** @param previous the view before: as long as the keys are the same, its list of them stays the same. */
export function keyViewAt(
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
