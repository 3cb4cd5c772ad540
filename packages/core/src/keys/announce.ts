import { type EpochSeconds, type JsonObject, type SigningKeyRecord } from '@mintmark/storage-interface'

import { authenticKeys, proveKeysInUse, withRowMac } from './authenticate-keys.ts'
import { keyIdOf } from './key-id.ts'
import { keyStates, planRotation, type KeyToAnnounce } from './schedule.ts'
import type { StoredKeySettings } from './settings.ts'
import { proveSigner } from './vault.ts'

/**
 * Ensures that a key signs with each algorithm. An algorithm without a signing or announced key gets a new one that
 * signs at once. Servers that do this at the same time agree on one key.
 * @returns all stored keys.
 */
export async function ensureSigningKeys(
  now: EpochSeconds,
  settings: StoredKeySettings,
): Promise<readonly SigningKeyRecord[]> {
  const { storage, algorithms, schedule } = settings
  const allRecords = await storage.signingKeys.list()
  const records = await authenticKeys(allRecords, settings)
  const signing = keyStates(records, now, schedule).filter(({ state }) => state === 'signing')
  const lacking = algorithms.filter((algorithm) => !signing.some(({ record }) => record.algorithm === algorithm))
  if (lacking.length === 0) return records

  await proveKeysInUse(allRecords, now, settings)
  for (const algorithm of lacking) {
    const plan = planRotation({ algorithm, records, when: 'due' }, now, schedule)
    // If another server inserted first, the list below contains its key.
    if (plan.kind === 'announce') await announceKey(withNextOrdinal(plan.key, allRecords), now, settings)
  }
  return authenticKeys(await storage.signingKeys.list(), settings)
}

/** Returns the key with a position after all rows, including rows that are not authentic. */
export const withNextOrdinal = (key: KeyToAnnounce, records: readonly SigningKeyRecord[]): KeyToAnnounce => ({
  ...key,
  ordinal:
    1 + Math.max(0, ...records.filter(({ algorithm }) => algorithm === key.algorithm).map(({ ordinal }) => ordinal)),
})

/**
 * Creates a key and stores it, which publishes it. When several processes do this at the same time for the same
 * position, the unique index lets one of them win.
 * @returns `taken` for the others; the winner's key is in storage by then.
 * @throws Error when the vault's key does not sign, or signs with another algorithm. Nothing is stored then.
 */
export async function announceKey(
  { algorithm, ordinal, signsFrom }: KeyToAnnounce,
  now: EpochSeconds,
  settings: Pick<StoredKeySettings, 'vault' | 'storage' | 'issuerSecrets'>,
): Promise<{ readonly outcome: 'inserted' | 'taken'; readonly key: SigningKeyRecord }> {
  const { vault, storage } = settings
  const created = await vault.generate(algorithm)
  const members = publicMembers(created.publicJwk)
  const kid = await keyIdOf(members)
  const publicJwk = { ...members, kid, alg: algorithm, use: 'sig' }
  const sign = await vault.open({ publicJwk, vaultEntry: created.vaultEntry, keyId: kid, algorithm })
  await proveSigner({ keyId: kid, algorithm, sign }, publicJwk)

  const row = {
    keyId: kid,
    algorithm,
    ordinal,
    publicJwk,
    vaultEntry: created.vaultEntry,
    createdAt: now,
    signsFrom,
    droppedAt: undefined,
  }
  const key = await withRowMac(row, settings)
  return { outcome: (await storage.signingKeys.insert(key)).outcome, key }
}

/** Keeps only the public members of a key: a vault's response might contain private ones (RFC 7517 §9.2). */
function publicMembers(jwk: JsonObject): { readonly kty: string } & Readonly<Record<string, string>> {
  const { kty } = jwk
  const names = typeof kty === 'string' ? publicMemberNames.get(kty) : undefined
  if (typeof kty !== 'string' || names === undefined)
    throw new TypeError('The vault created a key of an unknown type (RFC 7517 §4.1).')
  const members = names
    .map((name) => [name, jwk[name]] as const)
    .filter((member): member is readonly [string, string] => typeof member[1] === 'string')
  return { kty, ...Object.fromEntries(members) }
}

/** RFC 7518 §6.2.1, §6.3.1, RFC 8037 §2; AKP: ML-DSA for JOSE. */
const publicMemberNames: ReadonlyMap<string, readonly string[]> = new Map([
  ['EC', ['crv', 'x', 'y']],
  ['RSA', ['n', 'e']],
  ['OKP', ['crv', 'x']],
  ['AKP', ['alg', 'pub']],
])
