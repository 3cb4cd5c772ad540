import { type Clock, type Random, digestSecret, randomSecret, systemClock, systemRandom } from '@mintmark/internal'
import {
  clientId,
  type EpochSeconds,
  epochSeconds,
  type IdentityProviderRecord,
  providerId,
  type ProviderId,
  type SecretRecord,
  type ScimStorage,
  untilSettled,
} from '@mintmark/storage-interface'

import { tenantUrl } from '../server/scim-path.ts'
import type { ToleranceProfile } from '../tolerance/tolerances.ts'

/** What an administrator says about an identity provider. */
export interface ProviderRegistration {
  /** Letters, digits and hyphens, at most 64: it becomes a part of the SCIM Tenant URL, and is never used again. */
  readonly providerId: string
  /**
   * For people.
   * @defaultValue `providerId`. Something has to be shown.
   */
  readonly displayName?: string
  /**
   * What is tolerated in its requests.
   * @defaultValue `general`. It takes what cannot be meant otherwise, whoever sends it.
   */
  readonly toleranceProfile?: ToleranceProfile
  /**
   * Clients that may come with an access token of ours, with the scope `scim`, beside the secret.
   * @defaultValue None. The secret is enough.
   */
  readonly clientIds?: readonly string[]
}

/** What an administrator pastes at the identity provider. */
export interface RegisteredProvider {
  readonly provider: IdentityProviderRecord
  /** The SCIM Tenant URL. */
  readonly tenantUrl: string
  /** The Secret Token: this is the only time that anybody sees it. */
  readonly secret: string
}

export interface ProviderDependencies {
  readonly storage: ScimStorage
  readonly clock?: Clock
  readonly random?: Random
}

/**
 * Registers an identity provider, with its first secret.
 * @throws ProviderError `invalid_identifier` | `identifier_taken`.
 */
export async function registerIdentityProvider(
  registration: ProviderRegistration,
  deps: ProviderDependencies,
): Promise<RegisteredProvider> {
  const { storage, clock = systemClock, random = systemRandom } = deps
  // Okta refuses base addresses with an underscore, and the parts of a secret are told apart by it.
  if (!/^[A-Za-z0-9-]{1,64}$/.test(registration.providerId)) throw new ProviderError('invalid_identifier')

  const now = clock()
  const id = providerId(registration.providerId)
  const secret = newProviderSecret(id, random)
  const provider: IdentityProviderRecord = {
    providerId: id,
    displayName: registration.displayName ?? id,
    secrets: [await secretRecord(secret, now)],
    clientIds: (registration.clientIds ?? []).map(clientId),
    toleranceProfile: registration.toleranceProfile ?? 'general',
    deprovisioning: undefined,
    disabledAt: undefined,
    createdAt: now,
    version: 1,
  }
  const { outcome } = await storage.identityProviders.insert(provider)
  if (outcome === 'taken') throw new ProviderError('identifier_taken')
  return { provider, tenantUrl: tenantUrl(storage.issuer, id), secret }
}

/** How a secret is stored: its digest, and nothing that opens anything. */
const secretRecord = async (secret: string, now: EpochSeconds): Promise<SecretRecord> => ({
  digest: await digestSecret(secret),
  createdAt: now,
  expiresAt: undefined,
  lastUsedAt: undefined,
})

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
    const live = secrets.filter((candidate) => isActiveSecret(candidate, now))
    if (live.length >= maximumActive) throw new ProviderError('too_many_secrets')
    return [...live.map((previous) => withExpiry(previous, change.previousExpiresAt)), added]
  })
  return secret
}

/**
 * Ends all secrets of an identity provider but the newest, at once.
 * @throws ProviderError `provider_unknown`.
 */
export const revokePreviousProviderSecrets = (id: string, deps: { readonly storage: ScimStorage }): Promise<void> =>
  changeSecrets(id, deps.storage, (secrets) => secrets.slice(-1))

async function changeSecrets(
  id: string,
  storage: ScimStorage,
  change: (secrets: readonly SecretRecord[]) => readonly SecretRecord[],
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
export const isActiveSecret = (secret: SecretRecord, now: EpochSeconds): boolean =>
  secret.expiresAt === undefined || now < secret.expiresAt

const withExpiry = (secret: SecretRecord, at: number | undefined): SecretRecord =>
  at === undefined ? secret : { ...secret, expiresAt: epochSeconds(Math.min(at, secret.expiresAt ?? at)) }

const maximumActive = 4

/**
 * A new secret for a provider: `mmscim_`, which scanners for leaked secrets can look for, the provider's identifier, by which
 * its digest is found, and 256 random bits. An identifier has no underscore, so the parts are always told apart.
 */
const newProviderSecret = (provider: ProviderId, random: Random): string => `mmscim_${provider}_${randomSecret(random)}`

/** The provider that a secret says it is for; undefined for what is not a secret of ours. */
export function providerOfSecret(secret: string): ProviderId | undefined {
  const match = /^mmscim_([A-Za-z0-9-]{1,64})_[A-Za-z0-9_-]{43}$/.exec(secret)
  return match?.[1] === undefined ? undefined : providerId(match[1])
}

/** Why an administrator's change of an identity provider was refused. */
export type ProviderErrorReason = 'invalid_identifier' | 'identifier_taken' | 'provider_unknown' | 'too_many_secrets'

/** A refusal that an administrator can mend. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly reason: ProviderErrorReason

  constructor(reason: ProviderErrorReason) {
    super(sentences[reason])
    this.reason = reason
  }
}

const sentences: Readonly<Record<ProviderErrorReason, string>> = {
  invalid_identifier: 'The identifier of an identity provider has 1 to 64 letters, digits and hyphens.',
  identifier_taken: 'There is, or was, an identity provider with this identifier. Choose another one.',
  provider_unknown: 'There is no such identity provider.',
  too_many_secrets: 'The identity provider has as many live secrets as it may have. End one of them first.',
}
