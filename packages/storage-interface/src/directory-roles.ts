import type { GroupState } from './group.ts'
import type { JsonText, OrganizationId, ProviderId, UserId } from './values.ts'

/** Which roles in organizations the users of directories have because of their directory. Nothing of it is stored. */
export interface DirectoryRoles {
  /** Returns the roles that a user has in an organization because of the user's directory, as it is now. */
  rolesOf(userId: UserId, organizationId: OrganizationId): Promise<readonly string[]>

  /** Returns the roles that every direct member of a group has. */
  ofGroup(providerId: ProviderId, group: Pick<GroupState, 'displayName' | 'externalId'>): readonly string[]

  /** Returns the roles that a user has because of the SCIM attribute `roles`. */
  ofUser(providerId: ProviderId, resource: JsonText): readonly string[]

  /** Returns the values of the SCIM attribute `roles` that give no role. */
  unmapped(providerId: ProviderId, resource: JsonText): readonly string[]
}
