import { systemClock, systemRandom } from '@mintmark/core/runtime'
import {
  epochSeconds,
  providerId,
  untilSettled,
  type EpochSeconds,
  type ProviderSecretRecord,
  type Storage,
} from '@mintmark/storage-interface'

import { newProviderSecret } from '../authentication/provider-secret.ts'
import { ProviderError } from './provider-error.ts'
import { secretRecord, type ProviderDependencies } from './register-identity-provider.ts'

/**
 * Gives an identity provider another secret beside those in use: its administrator moves over at leisure, and the old ones
 * end then, or at `previousExpiresAt` (seconds since 1970).
 * @returns the secret: this is the only time that anybody sees it.
 * @throws ProviderError `provider_unknown` | `too_many_secrets`.
 */
export async function addProviderSecret(
  id: string,
  change: { readonly previousExpiresAt?: number },
  deps: ProviderDependencies,
): Promise<string> {
  const now = (deps.clock ?? systemClock)()
  const secret = newProviderSecret(providerId(id), deps.random ?? systemRandom)
  const added = await secretRecord(secret, now)
  await changeSecrets(id, deps.storage, (secrets) => {
    const live = secrets.filter((candidate) => isLive(candidate, now))
    if (live.length >= maximumLive) throw new ProviderError('too_many_secrets')
    return [...live.map((previous) => ending(previous, change.previousExpiresAt)), added]
  })
  return secret
}

/**
 * Ends all secrets of an identity provider but the newest, at once.
 * @throws ProviderError `provider_unknown`.
 */
export const endPreviousProviderSecrets = (id: string, deps: { readonly storage: Storage }): Promise<void> =>
  changeSecrets(id, deps.storage, (secrets) => secrets.slice(-1))

async function changeSecrets(
  id: string,
  storage: Storage,
  change: (secrets: readonly ProviderSecretRecord[]) => readonly ProviderSecretRecord[],
): Promise<void> {
  await untilSettled(async () => {
    const provider = await storage.identityProviders.find(providerId(id))
    if (provider === undefined) throw new ProviderError('provider_unknown')
    const changed = { ...provider, secrets: change(provider.secrets) }
    const swapped = await storage.identityProviders.compareAndSwap(changed, provider.version)
    return swapped.outcome === 'swapped' ? swapped : undefined
  })
}

/** Whether a secret is accepted. */
export const isLive = (secret: ProviderSecretRecord, now: EpochSeconds): boolean =>
  secret.expiresAt === undefined || now < secret.expiresAt

const ending = (secret: ProviderSecretRecord, at: number | undefined): ProviderSecretRecord =>
  at === undefined ? secret : { ...secret, expiresAt: epochSeconds(Math.min(at, secret.expiresAt ?? at)) }

const maximumLive = 4
