import { groupId, type GroupRecord, type Storage } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import type { ScimCall } from '../server/scim-call.ts'

/**
 * The group at the address, if it is the caller's.
 * @throws ScimError 404 — reason `resource_not_found`: the same for another provider's and for none (RFC 7644 §6).
 */
export async function findGroup(
  { caller, id }: ScimCall,
  { storage }: { readonly storage: Storage },
): Promise<GroupRecord> {
  const group = await storage.groups.find(caller.provider.providerId, groupId(id))
  // RFC 7644 §3.12, 404.
  if (group === undefined) throw refusal('resource_not_found')
  return group
}
