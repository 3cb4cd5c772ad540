import { organizationId, userId } from '../../identifiers.ts'
import type { MembershipRecord, OrganizationRecord } from '../../organization.ts'
import { now } from './moments.ts'

/** An organization that nobody is in. */
export const anOrganization = (overrides: Partial<OrganizationRecord> = {}): OrganizationRecord => ({
  organizationId: organizationId('organization-1'),
  displayName: 'Example Organization',
  createdAt: now,
  updatedAt: now,
  version: 1,
  ...overrides,
})

/** The place of `user-1` in `organization-1`. */
export const aMembership = (overrides: Partial<MembershipRecord> = {}): MembershipRecord => ({
  organizationId: organizationId('organization-1'),
  userId: userId('user-1'),
  roles: ['member'],
  createdAt: now,
  updatedAt: now,
  version: 1,
  ...overrides,
})
