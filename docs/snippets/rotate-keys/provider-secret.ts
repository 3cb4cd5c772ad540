import { addProviderSecret, revokePreviousProviderSecrets } from '@mintmark/scim'
import type { Storage } from '@mintmark/storage-interface'

/** A Secret Token beside the one in use. */
export const rotateSecretToken = (providerId: string, storage: Storage) =>
  addProviderSecret(providerId, {}, { storage })

/** When the new one is in use there. */
export const endOldSecretTokens = (providerId: string, storage: Storage) =>
  revokePreviousProviderSecrets(providerId, { storage })
