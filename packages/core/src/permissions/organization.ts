import type { ClientRecord, OAuthStorage, UserId } from '@mintmark/storage-interface'
import { organizationId as toOrganizationId } from '@mintmark/storage-interface'
import type { OrganizationId, OrganizationRecord } from '@mintmark/storage-interface/stores'

import { refuse } from '../refusals.ts'

/** The scope value with which a client requests tokens for one of the user's organizations. */
export const organizationScope = 'organization'

/** The claims that name the organization of a token. */
export const organizationClaimNames = ['org_id', 'org_name'] as const

/** An organization that tokens are for, as it is now. */
export interface TokenOrganization {
  readonly organizationId: OrganizationId
  readonly displayName: string
  /** The roles of the user's membership and of the user's directory; none for a client's own token. */
  readonly roles: readonly string[]
}

/**
 * Reads the organization that a code or a token family is for.
 * @throws OAuthError invalid_grant — reason `organization_left`: the user is no longer a member, or the organization
 *   was removed.
 */
export async function organizationOfGrant(
  issued: { readonly organizationId: OrganizationId | undefined; readonly userId: UserId },
  storage: OAuthStorage,
): Promise<TokenOrganization | undefined> {
  const { organizationId, userId } = issued
  if (organizationId === undefined) return undefined
  const [membership, organization, directoryRoles = []] = await Promise.all([
    storage.organizations?.findMember(organizationId, userId),
    storage.organizations?.find(organizationId),
    storage.directoryRoles?.rolesOf(userId, organizationId),
  ])
  // RFC 6749 §5.2: the grant was for a member of the organization.
  if (membership === undefined || organization === undefined) throw refuse('organization_left', { userId })
  return {
    organizationId,
    displayName: organization.displayName,
    roles: [...new Set([...membership.roles, ...directoryRoles])],
  }
}

/**
 * Reads the organization that a client belongs to.
 * @throws OAuthError unauthorized_client — reason `organization_removed`.
 */
export async function organizationOfClient(
  client: ClientRecord,
  storage: OAuthStorage,
): Promise<TokenOrganization | undefined> {
  if (client.organizationId === undefined) return undefined
  const organization = await storage.organizations?.find(toOrganizationId(client.organizationId))
  // RFC 6749 §5.2: the client was registered for an organization that does not exist.
  if (organization === undefined) throw refuse('organization_removed', { clientId: client.clientId })
  const { organizationId, displayName } = organization
  return { organizationId, displayName, roles: [] }
}

/**
 * Finds the organizations of a user that a request may be for, in the order of their identifiers: the organizations
 * with the given identifier or name, or all organizations of the user if the request names none.
 */
export async function organizationsOfUser(
  userId: UserId,
  named: string | undefined,
  storage: OAuthStorage,
): Promise<readonly OrganizationRecord[]> {
  const memberships = (await storage.organizations?.listByUser(userId)) ?? []
  const byId = memberships.filter(({ organizationId }) => organizationId === named)
  const candidates = byId.length > 0 ? byId : memberships
  const found = await Promise.all(
    candidates.map(async ({ organizationId }) => storage.organizations?.find(organizationId)),
  )
  const organizations = found.filter((organization) => organization !== undefined)
  return named === undefined || byId.length > 0
    ? organizations
    : organizations.filter(({ displayName }) => displayName === named)
}
