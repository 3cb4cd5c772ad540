import { clientId, epochSeconds, type ClientRecord, type ClientSecretRecord, type EpochSeconds, type Storage, untilSettled } from '@mintmark/storage-interface'

import { systemClock, type Clock } from '../runtime/clock.ts'
import { digestSecret } from '../runtime/digest.ts'
import { randomSecret, systemRandom, type Random } from '../runtime/random.ts'
import { ClientMetadataError } from './client-metadata-error.ts'
import { maxLiveSecrets } from './verify-client-secret.ts'

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

/** How a secret is stored: its digest, and nothing that opens anything. */
export const clientSecretRecord = async (secret: string, now: EpochSeconds): Promise<ClientSecretRecord> => ({
  digest: await digestSecret(secret),
  createdAt: now,
  expiresAt: undefined,
  lastUsedAt: undefined,
})

async function changeSecrets(
  id: string,
  storage: Storage,
  change: (client: ClientRecord) => readonly ClientSecretRecord[],
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

const isLive = (secret: ClientSecretRecord, now: EpochSeconds): boolean =>
  secret.expiresAt === undefined || now < secret.expiresAt

const ending = (secret: ClientSecretRecord, at: number | undefined): ClientSecretRecord =>
  at === undefined ? secret : { ...secret, expiresAt: epochSeconds(Math.min(at, secret.expiresAt ?? at)) }

const invalid = (description: string): ClientMetadataError =>
  new ClientMetadataError('invalid_client_metadata', description)
