import { organizationId, type OrganizationRecord, type Storage } from '@mintmark/storage-interface'

import { AdminError } from '../error/admin-error.ts'
import { isIdentifier } from '../page/identifier.ts'

/** @throws AdminError `organization_unknown`. */
export async function findOrganization(
  id: string,
  { storage }: { readonly storage: Storage },
): Promise<OrganizationRecord> {
  const organization = isIdentifier(id, 255) ? await storage.organizations.find(organizationId(id)) : undefined
  // RFC 9110 §15.5.5.
  if (organization === undefined) throw new AdminError('organization_unknown')
  return organization
}
