import { addProviderSecret, revokePreviousProviderSecrets } from '@mintmark/scim'
import type { ScimStorage } from '@mintmark/storage-interface'

/** Adds a Secret Token; the current one stays valid. */
export const rotateSecretToken = (providerId: string, storage: ScimStorage) =>
  addProviderSecret(providerId, {}, { storage })

/** Revokes the older Secret Tokens. Call it when the identity provider uses the new one. */
export const endOldSecretTokens = (providerId: string, storage: ScimStorage) =>
  revokePreviousProviderSecrets(providerId, { storage })
