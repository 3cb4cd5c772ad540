import { organizationId, userId, type MembershipRecord } from '@mintmark/storage-interface'

import type { AdminContext } from '../audit/admin-context.ts'
import { findUser } from '../account/find-account.ts'
import { pageOf, type Page, type PageRequest } from '../page/page.ts'
import { findMember } from './find-member.ts'
import { findOrganization } from './find-organization.ts'
import { removeMember, writeMember, type MembershipTarget } from './membership-acts.ts'

/** Who is in which organization. Each method throws AdminError. */
export interface MembershipAdministration {
  /**
   * Makes an account a member with these roles, or gives a member these roles in place of its own.
   * Refused: `organization_unknown`, `account_unknown`, `role_invalid`, `version_mismatch`, `last_administrator`.
   */
  writeMember(target: MembershipTarget, roles: readonly string[]): Promise<MembershipRecord>
  /** Refused: `membership_unknown`. */
  readMember(target: MembershipTarget): Promise<MembershipRecord>
  /** Refused: `membership_unknown`, `last_administrator`, `version_mismatch`. */
  removeMember(target: MembershipTarget): Promise<void>
  /** In the order of the accounts' identifiers. Refused: `organization_unknown`. */
  listMembers(id: string, page?: PageRequest): Promise<Page<MembershipRecord>>
  /** All of them. Refused: `account_unknown`. */
  listMemberships(account: string): Promise<readonly MembershipRecord[]>
}

export const administerMembers = (acting: AdminContext): MembershipAdministration => ({
  writeMember: (target, roles) => writeMember(target, roles, acting),
  readMember: (target) => findMember(target, acting),
  removeMember: (target) => removeMember(target, acting),
  listMembers: async (id, page = {}) => {
    const organization = await findOrganization(id, acting)
    return pageOf(page, {
      read: ({ after, limit }) =>
        acting.storage.organizations.listMembers({
          organizationId: organizationId(organization.organizationId),
          after: after === undefined ? undefined : userId(after),
          limit,
        }),
      key: (member) => member.userId,
      view: (member) => member,
    })
  },
  listMemberships: async (account) => acting.storage.organizations.listByUser((await findUser(account, acting)).userId),
})
