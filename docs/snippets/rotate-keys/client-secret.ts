import { addClientSecret, revokePreviousClientSecrets } from '@mintmark/core'
import type { OAuthStorage } from '@mintmark/storage-interface'

/** Adds a secret; the older ones expire in a day. Deliver it over a trusted channel, because it cannot be shown again. */
export const rotateSecret = (clientId: string, storage: OAuthStorage): Promise<string> =>
  addClientSecret(clientId, { previousExpiresAt: Date.now() / 1000 + 86_400 }, { storage })

/** Revokes the older secrets now. Call it when the client uses the new secret, or immediately after a leak. */
export const endOldSecrets = (clientId: string, storage: OAuthStorage): Promise<void> =>
  revokePreviousClientSecrets(clientId, { storage })
