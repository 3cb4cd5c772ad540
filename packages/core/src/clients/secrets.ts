import {
  aNumber,
  checkOptions,
  digestSecret,
  randomSecret,
  systemClock,
  systemRandom,
  type Clock,
  type Random,
} from '@mintmark/internal'
import {
  clientId,
  type ClientRecord,
  type EpochSeconds,
  epochSeconds,
  type OAuthStorage,
} from '@mintmark/storage-interface'
import { type SecretRecord, untilSettled } from '@mintmark/storage-interface/stores'

import { invalidMetadata } from './check-metadata.ts'
import { maxActiveSecrets } from './methods.ts'

interface ClientSecretDependencies {
  readonly storage: OAuthStorage
  readonly clock?: Clock
  readonly random?: Random
}

/**
 * Adds a second secret, so that the client can change to it without an interruption.
 * @param change `previousExpiresAt`, in seconds since the epoch: when the earlier secrets expire. Without it they stay
 *   valid.
 * @returns the secret. It is not stored and cannot be shown again.
 * @throws ClientMetadataError invalid_client_metadata when the client is unknown, uses no secret, or already has
 *   two active secrets.
 */
export async function addClientSecret(
  id: string,
  change: { readonly previousExpiresAt?: number },
  deps: ClientSecretDependencies,
): Promise<string> {
  checkOptions('addClientSecret', change, { previousExpiresAt: aNumber(0, Number.MAX_SAFE_INTEGER) })
  const now = (deps.clock ?? systemClock)()
  const secret = randomSecret(deps.random ?? systemRandom)
  const added = await clientSecretRecord(secret, now)
  await changeSecrets(id, deps.storage, (client) => {
    const active = client.secrets.filter((candidate) => isActive(candidate, now))
    // RFC 7591 §3.2.2: only a client with a secret can rotate it, and two secrets are enough for that.
    if (client.secrets.length === 0) throw invalidMetadata('The client does not authenticate with a secret.')
    if (active.length >= maxActiveSecrets)
      throw invalidMetadata('The client already has two active secrets. Revoke one of them first.')
    return [...active.map((previous) => expireAt(previous, change.previousExpiresAt)), added]
  })
  return secret
}

/**
 * Revokes all secrets of a client except the newest.
 * @throws ClientMetadataError invalid_client_metadata when the client is unknown.
 */
export async function revokePreviousClientSecrets(id: string, deps: { readonly storage: OAuthStorage }): Promise<void> {
  await changeSecrets(id, deps.storage, (client) => client.secrets.slice(-1))
}

/**
 * Replaces a client's secret with the secret that it has at another authorization server, so that it need not be
 * reconfigured for a migration. Use `addClientSecret` to replace it afterwards.
 * @param secret at least 32 characters of visible ASCII, at least 12 of them different, as generators create them. A
 *   client whose secret contains `+` or `%` must form-encode it for `client_secret_basic` (RFC 6749 §2.3.1); not every
 *   server insists on that.
 * @throws ClientMetadataError invalid_client_metadata when the secret is guessable, or the client is unknown or uses
 *   no secret.
 */
export async function adoptClientSecret(id: string, secret: string, deps: ClientSecretDependencies): Promise<void> {
  // RFC 6749 §10.10, RFC 6819 §5.1.4.2.2: SHA-256 is fast, so only a secret with enough entropy is safe.
  if (!/^[\x21-\x7e]{32,}$/.test(secret) || new Set(secret).size < 12)
    throw invalidMetadata('The secret is too short, or could be guessed.')
  const adopted = await clientSecretRecord(secret, (deps.clock ?? systemClock)())
  await changeSecrets(id, deps.storage, ({ secrets }) => {
    // RFC 7591 §3.2.2: clients of other methods have no secret.
    if (secrets.length === 0) throw invalidMetadata('The client does not authenticate with a secret.')
    return [adopted]
  })
}

/** Returns the stored form of a secret, which contains only its digest. */
export const clientSecretRecord = async (secret: string, now: EpochSeconds): Promise<SecretRecord> => ({
  digest: await digestSecret(secret),
  createdAt: now,
  expiresAt: undefined,
  lastUsedAt: undefined,
})

async function changeSecrets(
  id: string,
  storage: OAuthStorage,
  change: (client: ClientRecord) => readonly SecretRecord[],
): Promise<void> {
  await untilSettled(async () => {
    const client = await storage.clients.find(clientId(id))
    // RFC 7591 §3.2.2.
    if (client === undefined) throw invalidMetadata('There is no such client.')
    const swapped = await storage.clients.compareAndSwap({ ...client, secrets: change(client) }, client.version)
    // On a conflict, another administrator was faster; the change is then applied to the new version.
    return swapped.outcome === 'swapped' ? swapped : undefined
  })
}

const isActive = (secret: SecretRecord, now: EpochSeconds): boolean =>
  secret.expiresAt === undefined || now < secret.expiresAt

const expireAt = (secret: SecretRecord, at: number | undefined): SecretRecord =>
  at === undefined ? secret : { ...secret, expiresAt: epochSeconds(Math.min(at, secret.expiresAt ?? at)) }
