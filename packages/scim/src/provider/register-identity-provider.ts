import { systemClock, systemRandom, digestSecret, type Clock, type Random } from '@mintmark/core/runtime'
import {
  clientId,
  providerId,
  type EpochSeconds,
  type IdentityProviderRecord,
  type ProviderSecretRecord,
  type Storage,
} from '@mintmark/storage-interface'

import { newProviderSecret } from '../authentication/provider-secret.ts'
import { tenantUrl } from '../server/scim-path.ts'
import type { ToleranceProfile } from '../tolerance/profile-of.ts'
import { ProviderError } from './provider-error.ts'

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
  readonly storage: Storage
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
export const secretRecord = async (secret: string, now: EpochSeconds): Promise<ProviderSecretRecord> => ({
  digest: await digestSecret(secret),
  createdAt: now,
  expiresAt: undefined,
  lastUsedAt: undefined,
})
