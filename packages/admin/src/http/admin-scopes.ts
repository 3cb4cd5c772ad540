/** The areas of administration. `grants` includes sessions. */
export const adminAreas = [
  'clients',
  'providers',
  'users',
  'organizations',
  'grants',
  'deliveries',
  'webhooks',
  'provisioning',
  'keys',
  'audit',
] as const

export type AdminArea = (typeof adminAreas)[number]

/** The kind of access to an area. */
export type AdminAccess = 'read' | 'write'

/**
 * The scope values of administration with their descriptions. Use them as `scopes` of `createAuthorizationServer`, and
 * give each client only the scope values that it needs. Write access includes read access.
 */
export const adminScopes = {
  'admin:read': 'See everything that administrators see',
  'admin:write': 'Administer everything',
  'admin:clients:read': 'See the registered clients',
  'admin:clients:write': 'Register, change and remove clients, and create secrets that allow acting as a client',
  'admin:providers:read': 'See the identity providers and their requests',
  'admin:providers:write': 'Register, change and remove identity providers, and create secrets for them',
  'admin:users:read': 'See all users',
  'admin:users:write': 'Create, change, deactivate and remove users',
  'admin:organizations:read': 'See organizations and their members',
  'admin:organizations:write': 'Create, change and remove organizations and memberships',
  'admin:grants:read': 'See which clients users have authorized, and where users are signed in',
  'admin:grants:write': 'Revoke the access that users have given to clients, and sign users out',
  'admin:deliveries:read': 'See the messages to clients, such as logout tokens',
  'admin:deliveries:write': 'Send messages to clients again',
  'admin:webhooks:read': 'See the webhooks',
  'admin:webhooks:write': 'Create, change and remove webhooks, which receive changes of users',
  'admin:provisioning:read': 'See the partners that get users and groups',
  'admin:provisioning:write': 'Create, change and remove partners, which get users and groups',
  'admin:keys:read': 'See the signing keys of the server, without their private halves',
  'admin:audit:read': 'See what administrators did',
} as const satisfies Record<string, string>

/** Returns the narrowest scope value that allows an access to an area. */
export const narrowestScope = (area: AdminArea, access: AdminAccess): string => `admin:${area}:${access}`

/**
 * Whether a caller with `scopes` may give a client `scope`. An administrative scope value requires that value or a
 * broader one. `scim`, with which a client can write the users of a provider, requires write access to providers. A
 * scope value that the host protects requires `admin:write`.
 */
export function mayGrant(scopes: readonly string[], scope: string, protectedScopes: ReadonlySet<string>): boolean {
  if (protectedScopes.has(scope)) return scopes.includes('admin:write')
  if (scope === 'scim') return scopesAllow(scopes, 'providers', 'write')
  if (!scope.startsWith('admin:') || scopes.includes(scope) || scopes.includes('admin:write')) return true
  const isRead = scope.endsWith(':read')
  return isRead && (scopes.includes('admin:read') || scopes.includes(scope.replace(/:read$/, ':write')))
}

/** Whether scope values allow access to an area. Every administrator has access to `any`. */
export const scopesAllow = (scopes: readonly string[], area: AdminArea | 'any', access: AdminAccess): boolean =>
  area === 'any' ||
  [
    narrowestScope(area, access),
    `admin:${access}`,
    ...(access === 'read' ? [narrowestScope(area, 'write'), 'admin:write'] : []),
  ].some((scope) => scopes.includes(scope))
