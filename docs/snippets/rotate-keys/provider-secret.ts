import { addProviderSecret, revokePreviousProviderSecrets } from '@mintmark/scim'
import type { AdminStorage } from '@mintmark/storage-interface'

/** Adds a Secret Token; the current one stays valid. */
export const rotateSecretToken = (providerId: string, storage: AdminStorage) =>
  addProviderSecret(providerId, {}, { storage })

/** Call this when the identity provider uses the new one. */
export const endOldSecretTokens = (providerId: string, storage: AdminStorage) =>
  revokePreviousProviderSecrets(providerId, { storage })
