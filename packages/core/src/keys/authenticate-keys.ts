import { encodeBase64url, equalInConstantTime, hmacSha256 } from '@mintmark/internal'
import type { EpochSeconds, SigningKeyRecord } from '@mintmark/storage-interface'

import { isSigningAlgorithm } from './ring.ts'
import { keyStates } from './schedule.ts'
import { deriveSecrets } from './sealing.ts'
import type { StoredKeySettings } from './settings.ts'

/**
 * Returns the keys that a server of this issuer created. Write access to the database does not add a signing key, nor
 * change the times of one: without the issuer's secret nobody can compute a row's MAC.
 */
export async function authenticKeys(
  records: readonly SigningKeyRecord[],
  settings: StoredKeySettings,
): Promise<readonly SigningKeyRecord[]> {
  const results = await Promise.all(records.map((record) => isAuthentic(record, settings)))
  return records.filter((_, index) => results[index] === true)
}

/** Completes a row with its MAC. */
export async function withRowMac(
  record: Omit<SigningKeyRecord, 'rowMac'>,
  settings: Pick<StoredKeySettings, 'issuerSecrets' | 'storage'>,
): Promise<SigningKeyRecord> {
  const [mac] = await rowMacs(record, settings)
  return { ...record, rowMac: mac }
}

/**
 * Refuses to create a key beside keys in use that this process cannot authenticate or open: the other servers could not
 * use the new key, and tokens would fail once it signs.
 * @throws Error that says what to change.
 */
export async function proveKeysInUse(
  records: readonly SigningKeyRecord[],
  now: EpochSeconds,
  settings: StoredKeySettings,
): Promise<void> {
  const inUse = keyStates(records, now, settings.schedule).flatMap(({ record, state }) =>
    state === 'signing' || state === 'announced' ? [record] : [],
  )
  const authentic = await authenticKeys(inUse, settings)
  const foreign = inUse.filter((record) => !authentic.includes(record))
  if (foreign.length > 0) throw foreignKeys(foreign)
  for (const { keyId, algorithm, publicJwk, vaultEntry } of authentic)
    if (isSigningAlgorithm(algorithm)) await settings.vault.open({ keyId, algorithm, publicJwk, vaultEntry })
}

/** The error of a process whose sealing key is not the one of the stored keys. */
const foreignKeys = (records: readonly SigningKeyRecord[]): Error =>
  new Error(
    `The stored signing keys were sealed with another sealing key, or written by somebody without it: ${records.map(({ keyId }) => keyId).join(', ')}. Start with the key that sealed them, or give both: [new, old].`,
  )

async function isAuthentic(record: SigningKeyRecord, settings: StoredKeySettings): Promise<boolean> {
  const { rowMac } = record
  // Earlier versions wrote no MAC. What they sealed opens with the issuer's secret alone, and contains the public half.
  if (rowMac === undefined) return settings.isLegacyKey(record)
  const macs = await rowMacs(record, settings)
  return macs.some((mac) => equalInConstantTime(mac, rowMac))
}

/**
 * One MAC for each secret of the issuer. Dropping a key replaces its MAC: without the secret, nobody can make a dropped
 * key sign again by clearing its time.
 */
async function rowMacs(
  record: Omit<SigningKeyRecord, 'rowMac'>,
  { issuerSecrets, storage }: Pick<StoredKeySettings, 'issuerSecrets' | 'storage'>,
): Promise<readonly string[]> {
  const { keyId, algorithm, ordinal, publicJwk, vaultEntry, createdAt, signsFrom, droppedAt } = record
  // PostgreSQL does not keep the order of members.
  const members = Object.entries(publicJwk as object).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const drop = droppedAt === undefined ? [] : [droppedAt]
  const row = JSON.stringify([keyId, algorithm, ordinal, members, vaultEntry, createdAt, signsFrom, ...drop])
  const secrets = await deriveSecrets(issuerSecrets, 'signing-keys', storage.issuer)
  return Promise.all(
    secrets.map(async (secret) => encodeBase64url(await hmacSha256(secret, new TextEncoder().encode(row)))),
  )
}
