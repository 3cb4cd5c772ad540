import type { ClientRecord } from '@mintmark/storage-interface'

/**
 * Of the scope values that were granted once, those that the client is still registered for: what an administrator takes
 * from a client is in no token that is issued later (RFC 6749 §3.3).
 */
export const registeredScopes = (granted: readonly string[], client: ClientRecord): readonly string[] =>
  granted.filter((scope) => client.scopes.includes(scope))
