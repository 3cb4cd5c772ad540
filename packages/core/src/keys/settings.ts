import {
  aFunction,
  anObject,
  anObjectWith,
  aNonEmptyString,
  aStringMatching,
  checkOptions,
  listOf,
  oneOf,
  type OptionCheck,
  type OptionChecks,
  required,
  systemClock,
  systemRandom,
  type Clock,
  type Random,
  aStorage,
} from '@mintmark/internal'
import type { OAuthStorage } from '@mintmark/storage-interface'

import { isRuntimeAlgorithm, type KeyRing } from './ring.ts'
import { parseKeySchedule, type KeySchedule, type KeyScheduleOptions } from './schedule.ts'
import { parseSealingSecrets, type SealingKeyBytes, type SealingSecrets } from './sealing.ts'
import { createSealedVault, guardVault, type KeyVault } from './vault.ts'

/** Options of `createStoredKeys`: a storage, and either a sealing key or a vault. */
export type StoredKeysOptions = StoredKeysBaseOptions & (SealedKeysOptions | VaultKeysOptions)

interface SealedKeysOptions {
  /**
   * 32 random bytes in base64url. The private keys are sealed with it (AES-256-GCM) before they are stored. To change
   * it, pass a list: the first key seals, and the others only open what they sealed earlier.
   * @defaultValue None. Pass it or `vault`.
   */
  readonly sealingKey: SealingSecrets
  readonly vault?: undefined
  readonly issuerSecret?: undefined
}

interface VaultKeysOptions {
  /**
   * Keeps private keys outside of storage: a KMS or an HSM.
   * @defaultValue None. Pass it or `sealingKey`.
   */
  readonly vault: KeyVault
  /**
   * 32 random bytes in base64url, or a list as for `sealingKey`. It authenticates the rows of the keys and protects
   * pending sign-ins; it seals no private key.
   * @defaultValue None. A vault provides no secret that all servers share.
   */
  readonly issuerSecret: SealingSecrets
  readonly sealingKey?: undefined
}

interface StoredKeysBaseOptions {
  /** The storage of the server. It holds sealed keys, or the public halves of keys in a vault. */
  readonly storage: OAuthStorage
  /**
   * The algorithms to sign with. The first key of an algorithm signs at once, so add an algorithm at the end, and move
   * it to the front once its key has been published for a while. Keys of a removed algorithm stay published until they
   * are dropped.
   * @defaultValue `['ES256', 'RS256']`. ES256 signatures are short; every OpenID Connect client supports RS256 (OIDC
   *   Core §15.1).
   */
  readonly algorithms?: KeyRing['algorithms']
  /** When keys change, in seconds. */
  readonly schedule?: KeyScheduleOptions
  /**
   * `manual`: keys change when `rotate` is called. `automatic`: a server calls it when a request notices that a
   * rotation is due; no request waits for it.
   * @defaultValue `manual`. The server writes nothing on its own, and a single scheduled job is easy to monitor.
   */
  readonly rotation?: 'manual' | 'automatic'
  /**
   * Called when an automatic rotation fails. The current keys stay in use, and the next attempt follows after a minute.
   * @defaultValue The console. There is time to fix it: the current keys sign for days.
   */
  readonly onRotationFailed?: (error: unknown) => void
  readonly clock?: Clock
  readonly random?: Random
}

/** The validated options with defaults applied. */
export interface StoredKeySettings {
  readonly storage: OAuthStorage
  readonly vault: KeyVault
  /** The secrets that belong to the issuer, the current one first. */
  readonly issuerSecrets: readonly SealingKeyBytes[]
  readonly algorithms: KeyRing['algorithms']
  readonly schedule: KeySchedule
  readonly rotation: 'manual' | 'automatic'
  readonly onRotationFailed: (error: unknown) => void
  readonly clock: Clock
}

/**
 * Validates the options and applies the defaults.
 * @throws TypeError that names the option and says what to change.
 */
export function parseStoredKeySettings(options: StoredKeysOptions): StoredKeySettings {
  checkOptions('createStoredKeys', options, optionChecks)
  if (options.vault === undefined && options.sealingKey === undefined)
    throw new TypeError('createStoredKeys: sealingKey is missing. Pass 32 random bytes in base64url, or a vault.')
  refuseTwoKinds(options)
  const { storage, algorithms = ['ES256', 'RS256'], rotation = 'manual', random = systemRandom } = options
  const unknown = algorithms.find((algorithm) => !isRuntimeAlgorithm(algorithm))
  if (unknown !== undefined)
    throw new TypeError(`Invalid options: algorithms: this runtime's Web Crypto has no ${unknown}.`)

  return {
    storage,
    algorithms,
    rotation,
    issuerSecrets: parseSealingSecrets(options.vault === undefined ? options.sealingKey : options.issuerSecret),
    vault:
      options.vault === undefined
        ? createSealedVault(options.sealingKey, { issuer: storage.issuer, random })
        : guardVault(options.vault),
    schedule: parseKeySchedule(options.schedule ?? {}),
    onRotationFailed: options.onRotationFailed ?? reportTo(console),
    clock: options.clock ?? systemClock,
  }
}

/** With both, it would not be clear where the private keys are. */
function refuseTwoKinds({ sealingKey, vault, issuerSecret }: StoredKeysOptions): void {
  if (sealingKey !== undefined && vault !== undefined)
    throw new TypeError('createStoredKeys: pass sealingKey or vault, not both. With vault, the secret is issuerSecret.')
  if (sealingKey !== undefined && issuerSecret !== undefined)
    throw new TypeError('createStoredKeys: issuerSecret belongs to vault. With sealingKey, leave it out.')
  if (vault !== undefined && issuerSecret === undefined)
    throw new TypeError('createStoredKeys: issuerSecret is missing. Pass 32 random bytes in base64url.')
}

const aSecret = aStringMatching(
  /^[\w-]{43}$/,
  'must be 32 random bytes in base64url (43 characters). Create it once: node -p "crypto.randomBytes(32).toString(\'base64url\')"',
)

const someSecrets: OptionCheck = (value) =>
  Array.isArray(value) ? (value.length === 0 ? 'needs at least one secret' : listOf(aSecret)(value)) : aSecret(value)

/** `parseKeySchedule` checks the schedule. */
const optionChecks: OptionChecks<
  StoredKeysBaseOptions & { readonly [Name in 'sealingKey' | 'vault' | 'issuerSecret']?: unknown }
> = {
  storage: required(aStorage),
  algorithms: (value) =>
    Array.isArray(value) && value.length > 0
      ? listOf(aNonEmptyString)(value)
      : 'must be a list of signing algorithms, with at least one',
  schedule: anObject,
  rotation: oneOf('manual', 'automatic'),
  onRotationFailed: aFunction,
  sealingKey: someSecrets,
  vault: anObjectWith('generate', 'open'),
  issuerSecret: someSecrets,
  clock: aFunction,
  random: aFunction,
}

const reportTo =
  (console: Pick<Console, 'error'>) =>
  (error: unknown): void =>
    console.error('Mintmark: the signing keys could not be rotated.', error)
