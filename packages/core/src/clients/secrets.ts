import {
  clientId,
  epochSeconds,
  untilSettled,
  type ClientRecord,
  type EpochSeconds,
  type SecretDigest,
  type SecretRecord,
  type Storage,
} from '@mintmark/storage-interface'

import { systemClock, type Clock } from '../runtime/clock.ts'
import { digestSecret } from '../runtime/digest.ts'
import { equalInConstantTime } from '../runtime/equal-in-constant-time.ts'
import { randomSecret, systemRandom, type Random } from '../runtime/random.ts'
import type { CredentialProof } from './authenticate.ts'
import { ClientMetadataError } from './metadata.ts'

interface ClientSecretDependencies {
  readonly storage: Storage
  readonly clock?: Clock
  readonly random?: Random
}

/**
 * Gives a client another secret beside the one in use. The client is moved to it at leisure; then, or at
 * `previousExpiresAt`, the old one ends.
 * @param change `previousExpiresAt`, in seconds since the epoch, ends the secrets before it; left out, they live on.
 * @returns the secret: this is the only time that anybody sees it.
 * @throws ClientMetadataError invalid_client_metadata when the client is unknown, uses no secret, or has two live ones.
 */
export async function addClientSecret(
  id: string,
  change: { readonly previousExpiresAt?: number },
  deps: ClientSecretDependencies,
): Promise<string> {
  const now = (deps.clock ?? systemClock)()
  const secret = randomSecret(deps.random ?? systemRandom)
  const added = await clientSecretRecord(secret, now)
  await changeSecrets(id, deps.storage, (client) => {
    const live = client.secrets.filter((candidate) => isLive(candidate, now))
    // RFC 7591 §3.2.2: a client of another method has no use for a secret, and two are enough to change from one to the other.
    if (client.secrets.length === 0) throw invalid('The client does not authenticate with a secret.')
    if (live.length >= maxLiveSecrets) throw invalid('The client has two live secrets. End one of them first.')
    return [...live.map((previous) => ending(previous, change.previousExpiresAt)), added]
  })
  return secret
}

/**
 * Ends all secrets of a client but the newest, at once.
 * @throws ClientMetadataError invalid_client_metadata when the client is unknown.
 */
export async function endPreviousClientSecrets(id: string, deps: { readonly storage: Storage }): Promise<void> {
  await changeSecrets(id, deps.storage, (client) => client.secrets.slice(-1))
}

/**
 * Gives a client, in place of its own, the secret that it has from the server that it comes from: nobody has to
 * change it on the day of the move. Let `addClientSecret` replace it afterwards.
 * @param secret at least 32 characters of visible ASCII, 12 of them different, as a generator makes them. A client that
 *   sends one with `+` or `%` by `client_secret_basic` must form-encode it (RFC 6749 §2.3.1), which not every server has insisted on.
 * @throws ClientMetadataError invalid_client_metadata when the secret could be guessed, the client is unknown, or it uses none.
 */
export async function adoptClientSecret(id: string, secret: string, deps: ClientSecretDependencies): Promise<void> {
  // RFC 6749 §10.10, RFC 6819 §5.1.4.2.2: its digest is as quick to try as any, so it must be one that nobody can try out.
  if (!/^[\x21-\x7e]{32,}$/.test(secret) || new Set(secret).size < 12)
    throw invalid('The secret is too short, or could be guessed.')
  const adopted = await clientSecretRecord(secret, (deps.clock ?? systemClock)())
  await changeSecrets(id, deps.storage, ({ secrets }) => {
    // RFC 7591 §3.2.2: a client of another method has no use for a secret.
    if (secrets.length === 0) throw invalid('The client does not authenticate with a secret.')
    return [adopted]
  })
}

/** How a secret is stored: its digest, and nothing that opens anything. */
export const clientSecretRecord = async (secret: string, now: EpochSeconds): Promise<SecretRecord> => ({
  digest: await digestSecret(secret),
  createdAt: now,
  expiresAt: undefined,
  lastUsedAt: undefined,
})

async function changeSecrets(
  id: string,
  storage: Storage,
  change: (client: ClientRecord) => readonly SecretRecord[],
): Promise<void> {
  await untilSettled(async () => {
    const client = await storage.clients.find(clientId(id))
    // RFC 7591 §3.2.2.
    if (client === undefined) throw invalid('There is no such client.')
    const swapped = await storage.clients.compareAndSwap({ ...client, secrets: change(client) }, client.version)
    // On a conflict another administrator was faster; the change is made again on what they left.
    return swapped.outcome === 'swapped' ? swapped : undefined
  })
}

const isLive = (secret: SecretRecord, now: EpochSeconds): boolean =>
  secret.expiresAt === undefined || now < secret.expiresAt

const ending = (secret: SecretRecord, at: number | undefined): SecretRecord =>
  at === undefined ? secret : { ...secret, expiresAt: epochSeconds(Math.min(at, secret.expiresAt ?? at)) }

const invalid = (description: string): ClientMetadataError =>
  new ClientMetadataError('invalid_client_metadata', description)

/**
 * Proves a presented secret to be one of the client's live ones. One digest and the same number of comparisons are
 * made whoever asks: for an unknown client, a wrong secret and an expired one alike.
 */
export async function verifyClientSecret(
  presented: string,
  client: ClientRecord | undefined,
  now: EpochSeconds,
): Promise<CredentialProof | undefined> {
  const digest = await digestSecret(presented)
  const secrets = client?.secrets ?? []

  let matched: SecretDigest | undefined
  for (let slot = 0; slot < maxLiveSecrets; slot += 1) {
    const secret = secrets[slot]
    const isEqual = equalInConstantTime(digest, secret?.digest ?? emptySlot)
    const isLive = secret !== undefined && (secret.expiresAt === undefined || now < secret.expiresAt)
    if (isEqual && isLive) matched = secret.digest
  }
  return matched === undefined ? undefined : { usedSecret: matched }
}

/** A client has at most two live secrets: the one in use, and the one that replaces it. */
const maxLiveSecrets = 2

/** As long as a digest, and no digest: base64url has no dot. */
const emptySlot = '.'.repeat(43)
