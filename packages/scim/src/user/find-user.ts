import { userId, type ProvisionedUserRecord, type Storage } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import type { ScimCall } from '../server/scim-call.ts'

/**
 * The account at the address, if it is the caller's.
 * @throws ScimError 404 — reason `resource_not_found`: the same for another provider's and for none (RFC 7644 §6).
 */
export async function findUser(
  { caller, id }: ScimCall,
  { storage }: { readonly storage: Storage },
): Promise<ProvisionedUserRecord> {
  // OIDC Core §2: a `sub` has at most 255 characters, so what is longer is nobody's.
  const user = id.length > 255 ? undefined : await storage.provisionedUsers.find(caller.provider.providerId, userId(id))
  // RFC 7644 §3.12, 404.
  if (user === undefined) throw refusal('resource_not_found')
  return user
}
