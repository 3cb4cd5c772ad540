import type { AdminContext } from '../audit/admin-context.ts'
import { AdminError } from '../error/admin-error.ts'

/**
 * Keeps who administers clients from making one, or taking one over, that administers more than they do.
 * @param scopes of the client, as it is and as it would be.
 * @throws AdminError `beyond_own_scopes`.
 */
export function requireGrantable(scopes: readonly string[], { mayGrant }: AdminContext): void {
  // RFC 9700 §2.3: to register clients is not to administer everything.
  if (!scopes.every(mayGrant)) throw new AdminError('beyond_own_scopes', { pointer: '/scopes' })
}
