import { providerId, type ProviderId } from '@mintmark/storage-interface'
import { randomSecret, type Random } from '@mintmark/core/runtime'

/**
 * A new secret for a provider: `mmscim_`, which scanners for leaked secrets can look for, the provider's identifier, by which
 * its digest is found, and 256 random bits. An identifier has no underscore, so the parts are always told apart.
 */
export const newProviderSecret = (provider: ProviderId, random: Random): string =>
  `mmscim_${provider}_${randomSecret(random)}`

/** The provider that a secret says it is for; undefined for what is not a secret of ours. */
export function providerOfSecret(secret: string): ProviderId | undefined {
  const match = /^mmscim_([A-Za-z0-9-]{1,64})_[A-Za-z0-9_-]{43}$/.exec(secret)
  return match?.[1] === undefined ? undefined : providerId(match[1])
}
