import { addClientSecret, endPreviousClientSecrets } from '@mintmark/core'
import type { Storage } from '@mintmark/storage-interface'

/** A new secret; those before it end in a day. Hand it over on a way that you trust: nobody can show it again. */
export const rotateSecret = (clientId: string, storage: Storage): Promise<string> =>
  addClientSecret(clientId, { previousExpiresAt: Date.now() / 1000 + 86_400 }, { storage })

/** Sooner: when the client has moved over, or at once after a leak. */
export const endOldSecrets = (clientId: string, storage: Storage): Promise<void> =>
  endPreviousClientSecrets(clientId, { storage })
