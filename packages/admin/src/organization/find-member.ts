import { organizationId, userId, type MembershipRecord, type Storage } from '@mintmark/storage-interface'

import { AdminError } from '../error/admin-error.ts'
import { isIdentifier } from '../page/identifier.ts'

/** Whose membership of what. */
interface MembershipKey {
  readonly organizationId: string
  readonly userId: string
}

/** @throws AdminError `membership_unknown`. */
export async function findMember(
  key: MembershipKey,
  { storage }: { readonly storage: Storage },
): Promise<MembershipRecord> {
  const isPossible = isIdentifier(key.organizationId, 255) && isIdentifier(key.userId, 255)
  const member = isPossible
    ? await storage.organizations.findMember(organizationId(key.organizationId), userId(key.userId))
    : undefined
  // RFC 9110 §15.5.5.
  if (member === undefined) throw new AdminError('membership_unknown')
  return member
}
