import type { EpochSeconds, SigningKeyRecord } from '@mintmark/storage-interface'
import type { KeyId, RevokeOutcome } from '@mintmark/storage-interface/stores'

import { ensureSigningKeys } from './announce.ts'
import { proveSigningKeys } from './authenticate-keys.ts'
import { isSigningAlgorithm, type KeyRing, type PublicKey, type Signer, type SigningAlgorithm } from './ring.ts'
import { dropKey, type KeyDescription, type KeyRotation, listKeys, rotateInBackground, rotateKeys } from './rotate.ts'
import { hintKeys, keyStates, nextChange, type RotationTime } from './schedule.ts'
import { parseStoredKeySettings, type StoredKeySettings, type StoredKeysOptions } from './settings.ts'
import { deriveSecrets } from './sealing.ts'
import type { KeyVault } from './vault.ts'

/** A key ring whose keys are in storage. */
export interface StoredKeyRing extends KeyRing {
  readonly settings: StoredKeySettings
  /** Makes the next request read storage again. */
  reload(): void
  /**
   * Proves that this process authenticates the keys that sign. After the first success, further calls do nothing.
   * @throws SealingKeyError that says what to change; StorageUnavailableError.
   */
  ready(): Promise<void>
  /**
   * Rotates the keys on schedule: announces the next key of each algorithm that is due, and deletes keys that were
   * dropped long ago. Call it about once a day, from one process or from all; calls that come early do nothing. Running
   * servers pick up the change without a restart.
   * @param options `when: 'now'` announces the next keys although they are not due.
   * @throws StorageUnavailableError, and every error of the vault; call again to continue.
   */
  rotate(options?: { readonly when?: RotationTime }): Promise<KeyRotation>
  /**
   * Drops a key in an emergency: it stops signing, is no longer published, and its signatures are rejected. The
   * announced key takes over at once, or a new one is created. This ring applies the change from the next request on,
   * every other process within `schedule.staleness`. APIs that verify signatures themselves may use a cached copy of
   * `/jwks` for up to 300 seconds. With the revocation feed, they refuse its signatures within a second. If they do not
   * know the next key yet, which signs the feed, they refuse them when the silence that they tolerate has passed. If
   * somebody without the sealing key wrote the row, it is removed, provided that this process authenticates another key
   * in use.
   * @returns `revoked` for the call that dropped the key, `unchanged` when it was dropped before, `absent` when there
   *   is no such key.
   * @throws SealingKeyError when this process has a wrong or an outdated sealing key: it drops no key of the other
   *   servers, and creates none. StorageUnavailableError, and every error of the vault when a new key is created: the
   *   key is dropped even then; the next call, or the next request of any server, creates the new one.
   */
  drop(kid: string): Promise<RevokeOutcome>
  /**
   * Lists the stored keys with their current states, by algorithm and in the order in which they sign.
   * @throws StorageUnavailableError
   */
  list(): Promise<readonly KeyDescription[]>
}

/**
 * Creates a key ring whose keys are in storage. The first server that needs a key creates it; servers that start at the
 * same time agree on one. Keys are read on first use and again after `schedule.staleness`. If storage is then
 * unavailable, the server neither signs nor verifies with its outdated copy of the keys.
 * @throws TypeError at once when an option is wrong; SealingKeyError at first use when the keys were sealed with
 * another key.
 */
export function createStoredKeys(options: StoredKeysOptions): StoredKeyRing {
  const settings = parseStoredKeySettings(options)
  const reader = createKeyReader(settings)
  const openSigner = createVaultSigners(settings.vault)
  let view: KeyView | undefined
  let isProven = false

  const currentView = (): KeyView | Promise<KeyView> => {
    const now = settings.clock()
    const records = reader.read(now)
    return records instanceof Promise ? records.then((read) => viewOf(read, now)) : viewOf(records, now)
  }

  function viewOf(records: readonly SigningKeyRecord[], now: EpochSeconds): KeyView {
    if (view?.records === records && view.from <= now && now < view.until) return view
    view = keyViewAt(now, { records, previous: view }, settings)
    rotate(records, now)
    return view
  }

  const changeableRing = { settings, reload: () => reader.forget() }
  const rotate = rotateInBackground(changeableRing)
  return {
    ...changeableRing,
    rotate: (options) => rotateKeys(changeableRing, options),
    drop: (kid) => dropKey(kid, changeableRing),
    list: () => listKeys(changeableRing),
    async ready() {
      // A row that somebody inserts later must not stop the running processes.
      if (isProven) return
      await proveSigningKeys(await settings.storage.signingKeys.list(), settings.clock(), settings)
      isProven = true
    },
    algorithms: settings.algorithms,
    retirement: settings.schedule.retire,
    // Each request asks for keys, so only promises are awaited.
    async signer(algorithm) {
      const current = currentView()
      const { signing } = current instanceof Promise ? await current : current
      const key = signing.get(algorithm)
      if (key === undefined) throw new TypeError(`The key ring does not sign with ${algorithm}.`)
      return openSigner(key, algorithm)
    },
    async publicKeys() {
      const current = currentView()
      return (current instanceof Promise ? await current : current).publicKeys
    },
    hintKeys: async () => (await currentView()).hintKeys,
    deriveSecrets: (purpose) => deriveSecrets(settings.issuerSecrets, purpose, settings.storage.issuer),
  }
}

/** Reads the keys from storage, and caches them for the `staleness` of the schedule. */
interface KeyReader {
  /**
   * Returns the keys as they were at most `staleness` ago; the same list while it is cached, and no promise once it was read.
   * @throws StorageUnavailableError
   */
  read(now: EpochSeconds): readonly SigningKeyRecord[] | Promise<readonly SigningKeyRecord[]>
  /** Clears the cache. */
  forget(): void
}

/** One reader per ring: concurrent requests share one read. */
function createKeyReader(settings: StoredKeySettings): KeyReader {
  type Records = readonly SigningKeyRecord[]
  let cached: { readonly at: EpochSeconds; readonly records: Records | Promise<Records> } | undefined

  function startReading(at: EpochSeconds): NonNullable<typeof cached> {
    const reading = { at, records: ensureSigningKeys(at, settings) }
    void keepResult(reading)
    return reading
  }

  async function keepResult(reading: { readonly at: EpochSeconds; readonly records: Promise<Records> }): Promise<void> {
    const records = await resultOf(reading.records)
    // A failed read must not be cached.
    if (cached === reading) cached = records && { at: reading.at, records }
  }

  return {
    read(now) {
      // After the clock has stepped back, the cached list would otherwise be used until the old time is reached again.
      const isFresh = cached !== undefined && cached.at <= now && now < cached.at + settings.schedule.staleness
      if (cached === undefined || !isFresh) cached = startReading(now)
      return cached.records
    },
    forget() {
      cached = undefined
    },
  }
}

/** Returns what a cache keeps instead of the promise; `undefined` if it fails. Whoever waits for the promise gets the error. */
async function resultOf<Result>(pending: Promise<Result>): Promise<Result | undefined> {
  try {
    return await pending
  } catch {
    return undefined
  }
}

/** The usable keys in storage, valid from one time until another. */
interface KeyView {
  readonly records: readonly SigningKeyRecord[]
  readonly from: EpochSeconds
  readonly until: EpochSeconds
  /** The signing keys by algorithm. */
  readonly signing: ReadonlyMap<string, SigningKeyRecord>
  readonly publicKeys: readonly PublicKey[]
  readonly hintKeys: readonly PublicKey[]
}

/**
 * Computes the view of the keys at `now`.
 * @param previous the previous view, whose lists are reused while the keys stay the same.
 */
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
  const known = previous?.hintKeys ?? []
  const publicKeysOf = (keyRecords: readonly SigningKeyRecord[]): readonly PublicKey[] =>
    keyRecords.flatMap((record) => known.find(({ keyId }) => keyId === record.keyId) ?? publicKey(record))
  const forHints = publicKeysOf(hintKeys(keys, now, schedule))
  return {
    records,
    from: now,
    until: nextChange(keys, now, schedule),
    signing: new Map(signing),
    publicKeys: reuseIfEqual(
      published.flatMap(({ keyId }) => forHints.filter((key) => key.keyId === keyId)),
      previous?.publicKeys ?? [],
    ),
    hintKeys: reuseIfEqual(forHints, known),
  }
}

/** Returns the public key of a record, or nothing for an algorithm that only a later version knows. */
const publicKey = ({ keyId, algorithm, publicJwk }: SigningKeyRecord): readonly PublicKey[] =>
  isSigningAlgorithm(algorithm) ? [{ keyId, algorithm, jwk: publicJwk }] : []

/** Orders keys the same way in every process, even keys created in the same second. */
const oldestFirst = (a: SigningKeyRecord, b: SigningKeyRecord): number =>
  a.createdAt - b.createdAt || (a.keyId < b.keyId ? -1 : 1)

const reuseIfEqual = (keys: readonly PublicKey[], before: readonly PublicKey[]): readonly PublicKey[] =>
  keys.length === before.length && keys.every((key, index) => key === before[index]) ? before : keys

/** Opens each key once, and keeps it open while it signs with its algorithm. */
function createVaultSigners(
  vault: KeyVault,
): (key: SigningKeyRecord, algorithm: SigningAlgorithm) => Signer | Promise<Signer> {
  const opened = new Map<SigningAlgorithm, { readonly keyId: KeyId; readonly signer: Signer | Promise<Signer> }>()

  async function keepResult(
    algorithm: SigningAlgorithm,
    opening: { readonly keyId: KeyId; readonly signer: Promise<Signer> },
  ): Promise<void> {
    const signer = await resultOf(opening.signer)
    if (opened.get(algorithm) !== opening) return
    // Otherwise a short outage of the vault would make the key unusable for good.
    if (signer === undefined) opened.delete(algorithm)
    else opened.set(algorithm, { keyId: opening.keyId, signer })
  }

  return (key, algorithm) => {
    const known = opened.get(algorithm)
    if (known?.keyId === key.keyId) return known.signer
    const opening = { keyId: key.keyId, signer: openSigner(key, algorithm, vault) }
    opened.set(algorithm, opening)
    void keepResult(algorithm, opening)
    return opening.signer
  }
}

async function openSigner(key: SigningKeyRecord, algorithm: SigningAlgorithm, vault: KeyVault): Promise<Signer> {
  const { keyId, publicJwk, vaultEntry } = key
  return { keyId, algorithm, sign: await vault.open({ keyId, algorithm, publicJwk, vaultEntry }) }
}
