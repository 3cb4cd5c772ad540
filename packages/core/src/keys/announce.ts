import { keyId, type EpochSeconds, type JsonObject, type SigningKeyRecord } from '@mintmark/storage-interface'
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint'
import { compactVerify } from 'jose/jws/compact/verify'
import { importJWK } from 'jose/key/import'

import { signJwt } from './jws.ts'
import type { Signer } from './ring.ts'
import { keyStates, planRotation, type KeyToAnnounce } from './schedule.ts'
import type { StoredKeySettings } from './settings.ts'

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
  const records = await storage.signingKeys.list()
  const signing = keyStates(records, now, schedule).filter(({ state }) => state === 'signing')
  const lacking = algorithms.filter((algorithm) => !signing.some(({ record }) => record.algorithm === algorithm))
  if (lacking.length === 0) return records

  for (const algorithm of lacking) {
    const plan = planRotation({ algorithm, records, when: 'due' }, now, schedule)
    // If another server inserted first, the list below contains its key.
    if (plan.kind === 'announce') await announceKey(plan.key, now, settings)
  }
  return storage.signingKeys.list()
}

/**
 * Creates a key and stores it, which publishes it. When several processes do this at the same time for the same
 * position, the unique index lets one of them win.
 * @returns `taken` for the others; the winner's key is in storage by then.
 * @throws Error when the vault's key does not sign, or not with the algorithm; nothing was stored.
 */
export async function announceKey(
  { algorithm, ordinal, signsFrom }: KeyToAnnounce,
  now: EpochSeconds,
  { vault, storage }: Pick<StoredKeySettings, 'vault' | 'storage'>,
): Promise<{ readonly outcome: 'inserted' | 'taken'; readonly key: SigningKeyRecord }> {
  const made = await vault.generate(algorithm)
  const members = publicMembers(made.publicJwk)
  const kid = keyId(await calculateJwkThumbprint(members))
  const publicJwk = { ...members, kid, alg: algorithm, use: 'sig' }
  const sign = await vault.open({ publicJwk, vaultEntry: made.vaultEntry, keyId: kid, algorithm })
  await proveSigner({ keyId: kid, algorithm, sign }, publicJwk)

  const key = {
    keyId: kid,
    algorithm,
    ordinal,
    publicJwk,
    vaultEntry: made.vaultEntry,
    createdAt: now,
    signsFrom,
    droppedAt: undefined,
  }
  return { outcome: (await storage.signingKeys.insert(key)).outcome, key }
}

/** Keeps only the public members of a key type: a vault's answer might contain private ones (RFC 7517 §9.2). */
function publicMembers(jwk: JsonObject): { readonly kty: string } & Readonly<Record<string, string>> {
  const { kty } = jwk
  const names = typeof kty === 'string' ? publicMemberNames.get(kty) : undefined
  if (typeof kty !== 'string' || names === undefined)
    throw new TypeError('The vault made a key of an unknown type (RFC 7517 §4.1).')
  const members = names
    .map((name) => [name, jwk[name]] as const)
    .filter((member): member is readonly [string, string] => typeof member[1] === 'string')
  return { kty, ...Object.fromEntries(members) }
}

/**
 * Refuses to announce a key whose signatures cannot be verified, for example because the vault returns DER instead of
 * `r || s` (RFC 7518 §3.4).
 */
async function proveSigner(signer: Signer, publicJwk: JsonObject): Promise<void> {
  const jws = await signJwt('key-proof+jwt', {}, signer)
  try {
    await compactVerify(jws, await importJWK({ ...publicJwk }, signer.algorithm), { algorithms: [signer.algorithm] })
  } catch (cause) {
    throw new Error(`The vault's new key does not verify what it signed with ${signer.algorithm}.`, { cause })
  }
}

/** RFC 7518 §6.2.1, §6.3.1, RFC 8037 §2; AKP: ML-DSA for JOSE. */
const publicMemberNames: ReadonlyMap<string, readonly string[]> = new Map([
  ['EC', ['crv', 'x', 'y']],
  ['RSA', ['n', 'e']],
  ['OKP', ['crv', 'x']],
  ['AKP', ['alg', 'pub']],
])
