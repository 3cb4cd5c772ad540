import { updateClient } from '@mintmark/core'
import type { JsonObject, OAuthStorage } from '@mintmark/storage-interface'

/** Gives an agent its key and its permissions. @param clientId the `id` of the agent in SCIM. */
export const registerKey = (storage: OAuthStorage, clientId: string, publicKey: JsonObject) =>
  updateClient({ clientId }, { jwks: { keys: [publicKey] }, scopes: ['tickets.read'] }, { storage })
