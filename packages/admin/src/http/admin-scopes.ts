/** What administration is divided into. `grants` has sessions too. */
export type AdminArea = 'clients' | 'providers' | 'accounts' | 'organizations' | 'grants' | 'audit'

/** What a request does there. */
export type AdminAccess = 'read' | 'write'

/**
 * The scope values of administration, with a sentence for each: give them to `createAuthorizationServer` as `scopes`,
 * and to clients that administer the least of them that they need. To write an area is to read it too.
 */
export const adminScopes = {
  'admin:read': 'See everything that administrators see',
  'admin:write': 'Administer everything',
  'admin:clients:read': 'See the registered clients',
  'admin:clients:write': 'Register, change and remove clients, and give them secrets',
  'admin:providers:read': 'See the identity providers and their requests',
  'admin:providers:write': 'Register, change and remove identity providers, and give them secrets',
  'admin:accounts:read': 'See all accounts',
  'admin:accounts:write': 'Create, change, deactivate and remove accounts',
  'admin:organizations:read': 'See organizations and their members',
  'admin:organizations:write': 'Create, change and remove organizations and memberships',
  'admin:grants:read': 'See what people have allowed clients, and where they are signed in',
  'admin:grants:write': 'End what people have allowed clients, and sign them out',
  'admin:audit:read': 'See what administrators did',
} as const satisfies Record<string, string>

/** The one scope value that is enough, and nothing more. */
export const leastScope = (area: AdminArea, access: AdminAccess): string => `admin:${area}:${access}`

/**
 * Whether who has scope values may give a client another one: what administers, only if they may do as much themselves, and `scim`, with
 * which a client writes a provider's accounts, only if they may give the provider secrets.
 */
export function mayGrant(scopes: readonly string[], scope: string): boolean {
  if (scope === 'scim') return admits(scopes, 'providers', 'write')
  if (!scope.startsWith('admin:') || scopes.includes(scope) || scopes.includes('admin:write')) return true
  const isRead = scope.endsWith(':read')
  return isRead && (scopes.includes('admin:read') || scopes.includes(scope.replace(/:read$/, ':write')))
}

/** Whether scope values admit to an area. */
export const admits = (scopes: readonly string[], area: AdminArea, access: AdminAccess): boolean =>
  [
    leastScope(area, access),
    `admin:${access}`,
    ...(access === 'read' ? [leastScope(area, 'write'), 'admin:write'] : []),
  ].some((scope) => scopes.includes(scope))
