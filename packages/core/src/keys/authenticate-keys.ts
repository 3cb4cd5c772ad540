import { encodeBase64url, equalInConstantTime, hmacSha256 } from '@mintmark/internal'
import type { EpochSeconds, SigningKeyRecord } from '@mintmark/storage-interface'

import { isSigningAlgorithm } from './ring.ts'
import { keyStates } from './schedule.ts'
import { SealingKeyError } from '../sealing-key-error.ts'
import { deriveSecrets } from './sealing.ts'
import type { StoredKeySettings } from './settings.ts'

/**
 * Returns the keys that a server of this issuer created. Write access to the database is not enough to add a signing
 * key or to change its times: without the issuer's secret nobody can compute the MAC of a row.
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
 * Checks, before a key is created, that this process can authenticate and open all keys in use. Otherwise the other
 * servers could not use the new key, and tokens that it signs would be rejected. If no key is in use, because the last one
 * was dropped, this authenticates the newest row instead: the server that wrote it had the sealing key of the others.
 * @throws SealingKeyError when it cannot authenticate a key; StorageUnavailableError when the vault does not open a key.
 */
export async function proveKeysInUse(
  records: readonly SigningKeyRecord[],
  now: EpochSeconds,
  settings: StoredKeySettings,
): Promise<void> {
  const inUse = keysInUse(records, now, settings)
  const proving = inUse.length > 0 ? inUse : newestRecords(records)
  const results = await Promise.all(proving.map((record) => isFromThisIssuer(record, settings)))
  const foreign = proving.filter((_, index) => results[index] === false)
  if (foreign.length > 0) throw sealingKeyError(foreign)
  for (const { keyId, algorithm, publicJwk, vaultEntry } of inUse)
    if (isSigningAlgorithm(algorithm)) await settings.vault.open({ keyId, algorithm, publicJwk, vaultEntry })
}

/**
 * Checks, when the server starts, that this process can authenticate the keys that currently sign. With an outdated
 * sealing key, for example, the server would sign with an earlier key, and would not publish later keys.
 * @throws SealingKeyError when it cannot authenticate a key.
 */
export async function proveSigningKeys(
  records: readonly SigningKeyRecord[],
  now: EpochSeconds,
  settings: StoredKeySettings,
): Promise<void> {
  const signing = keyStates(records, now, settings.schedule).flatMap(({ record, state }) =>
    state === 'signing' ? [record] : [],
  )
  const authentic = await authenticKeys(signing, settings)
  const foreign = signing.filter((record) => !authentic.includes(record))
  if (foreign.length > 0) throw sealingKeyError(foreign)
}

/**
 * Checks, before a row that this process cannot authenticate is removed, that it can authenticate at least one key in
 * use. A process with a wrong or an outdated sealing key cannot tell a forged row from a key of the other servers.
 * @throws SealingKeyError when it can authenticate no key in use.
 */
export async function proveOtherKeyInUse(
  foreign: SigningKeyRecord,
  { records, now }: { readonly records: readonly SigningKeyRecord[]; readonly now: EpochSeconds },
  settings: StoredKeySettings,
): Promise<void> {
  const authentic = await authenticKeys(keysInUse(records, now, settings), settings)
  if (authentic.length === 0) throw sealingKeyError([foreign])
}

const sealingKeyError = (foreign: readonly SigningKeyRecord[]): SealingKeyError =>
  new SealingKeyError(foreign.map(({ keyId, rowMac }) => ({ keyId, hasMac: rowMac !== undefined })))

/** Returns the signing and announced keys. Does not check whether the rows are authentic. */
const keysInUse = (
  records: readonly SigningKeyRecord[],
  now: EpochSeconds,
  { schedule }: Pick<StoredKeySettings, 'schedule'>,
): readonly SigningKeyRecord[] =>
  keyStates(records, now, schedule).flatMap(({ record, state }) =>
    state === 'signing' || state === 'announced' ? [record] : [],
  )

function newestRecords(records: readonly SigningKeyRecord[]): readonly SigningKeyRecord[] {
  const latest = Math.max(...records.map(({ createdAt }) => createdAt))
  return records.filter(({ createdAt }) => createdAt === latest)
}

/** Whether a server of this issuer created the key, even if somebody else has set `droppedAt`. */
const isFromThisIssuer = async (record: SigningKeyRecord, settings: StoredKeySettings): Promise<boolean> =>
  (await isAuthentic(record, settings)) || isAuthentic({ ...record, droppedAt: undefined }, settings)

async function isAuthentic(record: SigningKeyRecord, settings: StoredKeySettings): Promise<boolean> {
  const { rowMac } = record
  // Without a MAC nobody can tell who wrote the row.
  if (rowMac === undefined) return false
  const macs = await rowMacs(record, settings)
  return macs.some((mac) => equalInConstantTime(mac, rowMac))
}

/**
 * Computes one MAC for each secret of the issuer. Dropping a key replaces its MAC: without the secret, nobody can make a
 * dropped key sign again by clearing `droppedAt`.
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
