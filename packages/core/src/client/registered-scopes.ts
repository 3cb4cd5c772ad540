import type { ClientRecord } from '@mintmark/storage-interface'

/**
 * Of the scope values that were granted once, those that the client is still registered for: what an administrator takes
 * from a client is in no token that is issued later (RFC 6749 §3.3).
 */
export const registeredScopes = (granted: readonly string[], client: ClientRecord): readonly string[] =>
  granted.filter((scope) => client.scopes.includes(scope))

/**
 * Whether a client gets and may use refresh tokens of what was granted: offline access is a part of it, and the client is
 * still registered for that and for the grant (OIDC Core §11).
 */
export const mayRefresh = (granted: readonly string[], client: ClientRecord): boolean =>
  client.grantTypes.includes('refresh_token') && registeredScopes(granted, client).includes('offline_access')
