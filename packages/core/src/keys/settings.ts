import type { Storage } from '@mintmark/storage-interface'

import { systemClock, type Clock } from '../runtime/clock.ts'
import { systemRandom, type Random } from '../runtime/random.ts'
import { isRuntimeAlgorithm, type KeyRing } from './ring.ts'
import { parseKeySchedule, type KeySchedule, type KeyScheduleOptions } from './schedule.ts'
import { guardedVault, sealedVault, type KeyVault, type SealingSecrets } from './vault.ts'

/** A key ring kept in storage, for `rotateKeys`, `dropKey` and `listKeys`. */
export interface StoredKeyRing extends KeyRing {
  readonly settings: StoredKeySettings
  /** Has the next request look at storage anew. */
  reload(): void
}

/** What a host gives to `storedKeys`: a storage, and either a sealing key or a vault. */
export type StoredKeysOptions = StoredKeysBaseOptions & (SealedKeysOptions | VaultKeysOptions)

interface SealedKeysOptions {
  /**
   * 32 random bytes in base64url: the private keys are sealed with it (AES-256-GCM) before they are stored. To change
   * it, give a list: the first seals, the others still open what they sealed.
   * @defaultValue None. Give it, or `vault`.
   */
  readonly sealingKey: SealingSecrets
  readonly vault?: undefined
}

interface VaultKeysOptions {
  /**
   * Where private keys live in place of storage: a KMS or an HSM.
   * @defaultValue None. Give it, or `sealingKey`.
   */
  readonly vault: KeyVault
  readonly sealingKey?: undefined
}

interface StoredKeysBaseOptions {
  /** The storage that the server has. Keys that are sealed stand in it; of keys in a vault, the public halves. */
  readonly storage: Storage
  /**
   * The algorithms that sign. The first key of an algorithm signs at once: add one at the end, and move it to the
   * front when it has been published for a while. Keys of an algorithm that is taken away stay published until they
   * are dropped.
   * @defaultValue `['ES256', 'RS256']`. Signatures of the first are short; the second is what every OpenID Connect
   *   client understands (OIDC Core §15.1).
   */
  readonly algorithms?: KeyRing['algorithms']
  /** When keys change, in seconds. */
  readonly schedule?: KeyScheduleOptions
  /**
   * `manual`: keys change when `rotateKeys` is called. `automatic`: the servers call it themselves when a request
   * finds that it is time; no request waits for it.
   * @defaultValue `manual`. Nothing is written that nobody asked for; one job for all servers is easy to watch.
   */
  readonly rotation?: 'manual' | 'automatic'
  /**
   * Is told why an automatic rotation failed; the present keys go on, and it is tried again a minute later.
   * @defaultValue The console. There is time to mend it: keys sign for days after.
   */
  readonly onRotationFailed?: (error: unknown) => void
  readonly clock?: Clock
  readonly random?: Random
}

/** The options, checked, with every default filled in. */
export interface StoredKeySettings {
  readonly storage: Storage
  readonly vault: KeyVault
  readonly algorithms: KeyRing['algorithms']
  readonly schedule: KeySchedule
  readonly rotation: 'manual' | 'automatic'
  readonly onRotationFailed: (error: unknown) => void
  readonly clock: Clock
}

/** @throws TypeError that names the option and says what to change. */
export function parseStoredKeySettings(options: StoredKeysOptions): StoredKeySettings {
  const { storage, algorithms = ['ES256', 'RS256'], rotation = 'manual', random = systemRandom } = options
  const unknown = algorithms.find((algorithm) => !isRuntimeAlgorithm(algorithm))
  if (unknown !== undefined)
    throw new TypeError(`Invalid options: algorithms: this runtime's Web Crypto has no ${unknown}.`)
  if (!['manual', 'automatic'].includes(rotation))
    throw new TypeError('Invalid options: rotation is manual or automatic.')

  return {
    storage,
    algorithms,
    rotation,
    vault:
      options.vault === undefined
        ? sealedVault(options.sealingKey, { issuer: storage.issuer, random })
        : guardedVault(options.vault),
    schedule: parseKeySchedule(options.schedule ?? {}),
    onRotationFailed: options.onRotationFailed ?? reportTo(console),
    clock: options.clock ?? systemClock,
  }
}

const reportTo =
  (console: Pick<Console, 'error'>) =>
  (error: unknown): void =>
    console.error('Mintmark: the signing keys could not be rotated.', error)
