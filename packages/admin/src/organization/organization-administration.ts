import { organizationId } from '@mintmark/storage-interface'
import type { OrganizationRecord } from '@mintmark/storage-interface'

import type { AdminContext } from '../audit/admin-context.ts'
import { pageOf, type Page, type PageRequest } from '../page/page.ts'
import { findOrganization } from './find-organization.ts'
import { administerMembers, type MembershipAdministration } from './membership-administration.ts'
import {
  createOrganization,
  removeOrganization,
  updateOrganization,
  type NewOrganization,
  type OrganizationChange,
  type OrganizationTarget,
} from './organization-acts.ts'

/** Organizations, and who is in them. Each method throws AdminError. */
export interface OrganizationAdministration extends MembershipAdministration {
  /** Refused: `identifier_invalid`, `identifier_taken`, `display_name_invalid`. */
  create(organization: NewOrganization): Promise<OrganizationRecord>
  /** Refused: `organization_unknown`, here and below. */
  read(id: string): Promise<OrganizationRecord>
  /** In the order of their identifiers. */
  list(page?: PageRequest): Promise<Page<OrganizationRecord>>
  /** Refused also: `version_mismatch`, `display_name_invalid`. */
  update(target: OrganizationTarget, change: OrganizationChange): Promise<OrganizationRecord>
  /** For good, with all memberships; the accounts stay. */
  remove(target: OrganizationTarget): Promise<void>
}

export const administerOrganizations = (acting: AdminContext): OrganizationAdministration => ({
  ...administerMembers(acting),
  create: (organization) => createOrganization(organization, acting),
  read: (id) => findOrganization(id, acting),
  list: (page = {}) =>
    pageOf(page, {
      read: ({ after, limit }) =>
        acting.storage.organizations.list({ after: after === undefined ? undefined : organizationId(after), limit }),
      key: (organization) => organization.organizationId,
      view: (organization) => organization,
    }),
  update: (target, change) => updateOrganization(target, change, acting),
  remove: (target) => removeOrganization(target, acting),
})
