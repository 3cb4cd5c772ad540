import type { ScimStorage, UserId } from '@mintmark/storage-interface'
import type { ProviderId, ProvisionedState } from '@mintmark/storage-interface/stores'

import type { ScimOccurrence } from '../event/scim-event.ts'

type Stored = Pick<ProvisionedState, 'resource'>

/**
 * Records an event if a provider gave a user roles that the host has not mapped (`withDirectoryRoles`), and that the user did not have
 * before. A provider without an organization gives no roles, so nothing is missing.
 */
export async function reportUnmappedRoles(
  { userId, before, after }: { readonly userId: UserId; readonly before: Stored | undefined; readonly after: Stored },
  { providerId, record }: { readonly providerId: ProviderId; readonly record: (occurrence: ScimOccurrence) => void },
  { directoryRoles, identityProviders }: Pick<ScimStorage, 'directoryRoles' | 'identityProviders'>,
): Promise<void> {
  if (directoryRoles === undefined) return
  const known = before === undefined ? [] : directoryRoles.unmapped(providerId, before.resource)
  const values = directoryRoles.unmapped(providerId, after.resource).filter((value) => !known.includes(value))
  if (values.length === 0) return
  const provider = await identityProviders.find(providerId)
  if (provider?.organizationId !== undefined) record({ type: 'roles.unmapped', providerId, userId, values })
}
