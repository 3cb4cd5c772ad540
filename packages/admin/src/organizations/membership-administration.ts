import { organizationId, userId } from '@mintmark/storage-interface'
import { type MembershipRecord, type OrganizationRecord, untilSettled } from '@mintmark/storage-interface/stores'

import { type AdminContext, audit } from '../audit/audit.ts'
import { plainJson } from '../audit/audit-log.ts'
import { refuse } from '../error/refusals.ts'
import { pageOf, type Page, type PageRequest } from '../page.ts'
import { isIdentifier } from '../text.ts'
import {
  findAdministered,
  hasProtectedRole,
  noAdministration,
  applyUnlessLastAdministrator,
  type Administered,
} from '../last-administrators/last-administrators.ts'
import { findUser } from '../users/user-view.ts'

/** A membership, and the version that a change expects. Without a version the change applies to any version. */
interface MembershipTarget {
  readonly organizationId: string
  readonly userId: string
  readonly version?: number | undefined
}

/** The members of organizations. A method throws AdminError if the action is refused or fails. */
export interface MembershipAdministration {
  /**
   * Makes a user a member with these roles, or replaces the roles of a member.
   * Refused: `organization_unknown`, `user_unknown`, `role_invalid`, `version_mismatch`, `last_administrator`.
   */
  writeMember(target: MembershipTarget, roles: readonly string[]): Promise<MembershipRecord>
  /** Refused: `membership_unknown`. */
  readMember(target: MembershipTarget): Promise<MembershipRecord>
  /** Refused: `membership_unknown`, `last_administrator`, `version_mismatch`. */
  removeMember(target: MembershipTarget): Promise<void>
  /** Ordered by user identifier. Refused: `organization_unknown`. */
  listMembers(id: string, page?: PageRequest): Promise<Page<MembershipRecord>>
  /** All memberships of a user. Refused: `user_unknown`. */
  listMemberships(userId: string): Promise<readonly MembershipRecord[]>
}

export const administerMembers = (context: AdminContext): MembershipAdministration => ({
  writeMember: (target, roles) => writeMember(target, roles, context),
  readMember: (target) => findMember(target, context),
  removeMember: (target) => removeMember(target, context),
  listMembers: async (id, page = {}) => {
    const { organizationId } = await findOrganization(id, context)
    return pageOf(page, {
      read: ({ after, limit }) =>
        context.storage.organizations.listMembers({
          organizationId,
          after: after === undefined ? undefined : userId(after),
          limit,
        }),
      key: (member) => member.userId,
      view: (member) => member,
    })
  },
  listMemberships: async (user) => context.storage.organizations.listByUser((await findUser(user, context)).userId),
})

/** @throws AdminError `organization_unknown`. */
export async function findOrganization(id: string, { storage }: AdminContext): Promise<OrganizationRecord> {
  const organization = isIdentifier(id, 255) ? await storage.organizations.find(organizationId(id)) : undefined
  if (organization === undefined) throw refuse('organization_unknown')
  return organization
}

/** @throws AdminError `membership_unknown`. */
async function findMember(target: MembershipTarget, { storage }: AdminContext): Promise<MembershipRecord> {
  const isPossible = isIdentifier(target.organizationId, 255) && isIdentifier(target.userId, 255)
  const member = isPossible
    ? await storage.organizations.findMember(organizationId(target.organizationId), userId(target.userId))
    : undefined
  if (member === undefined) throw refuse('membership_unknown')
  return member
}

const writeMember = (
  target: MembershipTarget,
  roles: readonly string[],
  context: AdminContext,
): Promise<MembershipRecord> =>
  audit(
    {
      name: 'organization.member_written',
      target: auditTarget(target),
      run: async () => {
        requireRoles(roles)
        const { organizationId } = await findOrganization(target.organizationId, context)
        const { userId } = await findUser(target.userId, context)
        return untilSettled(async () => {
          const before = await context.storage.organizations.findMember(organizationId, userId)
          // RFC 9110 §15.5.13: a missing membership has no version.
          if (target.version !== undefined && target.version !== before?.version) throw refuse('version_mismatch')
          const after =
            before === undefined
              ? await insertMember({ organizationId, userId }, roles, context)
              : await changeRoles(before, roles, context)
          return after && { result: after, before: before && plainJson(before), after: plainJson(after) }
        })
      },
    },
    context,
  )

const removeMember = (target: MembershipTarget, context: AdminContext): Promise<void> =>
  audit(
    {
      name: 'organization.member_removed',
      target: auditTarget(target),
      protective: true,
      run: async () => {
        const { organizations } = context.storage
        const before = await findMember(target, context)
        const { organizationId, userId } = before
        // RFC 9110 §15.5.13.
        if (target.version !== undefined && target.version !== before.version) throw refuse('version_mismatch')
        const { outcome } = await applyUnlessLastAdministrator(
          {
            userId,
            administered: await findAdministeredByMembership(before, context),
            apply: () => organizations.removeMember(organizationId, userId, context.clock()),
            undo: ({ outcome }) => (outcome === 'removed' ? organizations.insertMember(before) : Promise.resolve()),
          },
          context,
        )
        // RFC 9110 §15.5.5: of several concurrent removals one succeeds.
        if (outcome === 'absent') throw refuse('membership_unknown')
        return { result: undefined, before: plainJson(before) }
      },
    },
    context,
  )

/** Returns undefined when another writer inserted the membership first. */
async function insertMember(
  key: Pick<MembershipRecord, 'organizationId' | 'userId'>,
  roles: readonly string[],
  { storage, clock }: AdminContext,
): Promise<MembershipRecord | undefined> {
  const now = clock()
  const member = { ...key, roles, createdAt: now, updatedAt: now, version: 1 }
  const inserted = await storage.organizations.insertMember(member)
  // RFC 9110 §15.5.5: the user or the organization was removed since it was read.
  if (inserted.outcome === 'absent') throw refuse(inserted.missing === 'user' ? 'user_unknown' : 'organization_unknown')
  return inserted.outcome === 'inserted' ? member : undefined
}

/** Returns undefined when another writer changed the membership first. */
async function changeRoles(
  before: MembershipRecord,
  roles: readonly string[],
  context: AdminContext,
): Promise<MembershipRecord | undefined> {
  const swapRoles = async (from: MembershipRecord, to: readonly string[]): Promise<MembershipRecord | undefined> => {
    const swapped = await context.storage.organizations.compareAndSwapMember(
      { ...from, roles: to, updatedAt: context.clock() },
      from.version,
    )
    return swapped.outcome === 'swapped' ? swapped.record : undefined
  }
  const keepsProtectedRole = hasProtectedRole({ roles }, context.lastAdministrators)
  return applyUnlessLastAdministrator(
    {
      userId: before.userId,
      administered: keepsProtectedRole ? noAdministration : await findAdministeredByMembership(before, context),
      apply: () => swapRoles(before, roles),
      undo: async (changed) => changed && swapRoles(changed, before.roles),
    },
    context,
  )
}

/** Returns what a user administers because of one membership. */
async function findAdministeredByMembership(
  { organizationId, userId }: MembershipRecord,
  context: AdminContext,
): Promise<Administered> {
  const { organizations } = await findAdministered(userId, context)
  return { service: false, organizations: organizations.filter((id) => id === organizationId) }
}

function requireRoles(roles: readonly string[]): void {
  const isValid =
    roles.length <= 50 &&
    new Set(roles).size === roles.length &&
    roles.every((role) => /^[\x21-\x7E]{1,100}$/.test(role))
  if (!isValid) throw refuse('role_invalid', { pointer: '/roles' })
}

const auditTarget = ({ organizationId, userId }: MembershipTarget) => ({
  kind: 'membership' as const,
  id: `${organizationId}/${userId}`,
})
