import { untilSettled, type MembershipRecord } from '@mintmark/storage-interface'

import type { AdminContext } from '../audit/admin-context.ts'
import { audit } from '../audit/audit.ts'
import { plainJson } from '../json/plain-json.ts'
import { findUser } from '../account/find-account.ts'
import { AdminError } from '../error/admin-error.ts'
import { endUnlessLast } from '../guard/end-unless-last.ts'
import { administeredBy, holdsProtectedRole, type Administered } from '../guard/last-administrators.ts'
import { findMember } from './find-member.ts'
import { findOrganization } from './find-organization.ts'

/** Whose membership of what is meant, and in which version. */
export interface MembershipTarget {
  readonly organizationId: string
  readonly userId: string
  readonly version?: number | undefined
}

export const writeMember = (
  target: MembershipTarget,
  roles: readonly string[],
  acting: AdminContext,
): Promise<MembershipRecord> =>
  audit(
    {
      name: 'organization.member_written',
      target: membership(target),
      run: async () => {
        requireRoles(roles)
        const { organizationId } = await findOrganization(target.organizationId, acting)
        const { userId } = await findUser(target.userId, acting)
        return untilSettled(async () => {
          const before = await acting.storage.organizations.findMember(organizationId, userId)
          // RFC 9110 §15.5.13: a membership that is not there has no version.
          if (target.version !== undefined && target.version !== before?.version)
            throw new AdminError('version_mismatch')
          const after =
            before === undefined
              ? await insert({ organizationId, userId }, roles, acting)
              : await changeRoles(before, roles, acting)
          return after && { result: after, before: before && plainJson(before), after: plainJson(after) }
        })
      },
    },
    acting,
  )

export const removeMember = (target: MembershipTarget, acting: AdminContext): Promise<void> =>
  audit(
    {
      name: 'organization.member_removed',
      target: membership(target),
      protective: true,
      run: async () => {
        const { organizations } = acting.storage
        const before = await findMember(target, acting)
        const { organizationId, userId } = before
        // RFC 9110 §15.5.13.
        if (target.version !== undefined && target.version !== before.version) throw new AdminError('version_mismatch')
        const { outcome } = await endUnlessLast(
          {
            userId,
            administered: await administered(before, acting),
            end: () => organizations.removeMember(organizationId, userId),
            undo: ({ outcome }) => (outcome === 'removed' ? organizations.insertMember(before) : Promise.resolve()),
          },
          acting,
        )
        // RFC 9110 §15.5.5: of several who remove one, one does.
        if (outcome === 'absent') throw new AdminError('membership_unknown')
        return { result: undefined, before: plainJson(before) }
      },
    },
    acting,
  )

/** Undefined when somebody else was faster. */
async function insert(
  key: Pick<MembershipRecord, 'organizationId' | 'userId'>,
  roles: readonly string[],
  { storage, clock }: AdminContext,
): Promise<MembershipRecord | undefined> {
  const now = clock()
  const member = { ...key, roles, createdAt: now, updatedAt: now, version: 1 }
  const inserted = await storage.organizations.insertMember(member)
  // RFC 9110 §15.5.5: removed since it was read.
  if (inserted.outcome === 'absent')
    throw new AdminError(inserted.missing === 'user' ? 'account_unknown' : 'organization_unknown')
  return inserted.outcome === 'inserted' ? member : undefined
}

/** Undefined when somebody else was faster. */
async function changeRoles(
  before: MembershipRecord,
  roles: readonly string[],
  acting: AdminContext,
): Promise<MembershipRecord | undefined> {
  const swap = async (from: MembershipRecord, to: readonly string[]): Promise<MembershipRecord | undefined> => {
    const swapped = await acting.storage.organizations.compareAndSwapMember(
      { ...from, roles: to, updatedAt: acting.clock() },
      from.version,
    )
    return swapped.outcome === 'swapped' ? swapped.record : undefined
  }
  const isStripped = !holdsProtectedRole({ roles }, acting.lastAdministrators)
  return endUnlessLast(
    {
      userId: before.userId,
      administered: isStripped ? await administered(before, acting) : nothing,
      end: () => swap(before, roles),
      undo: async (changed) => changed && swap(changed, before.roles),
    },
    acting,
  )
}

/** What an account administers by this membership. */
async function administered({ organizationId, userId }: MembershipRecord, acting: AdminContext): Promise<Administered> {
  const { organizations } = await administeredBy(userId, acting)
  return { service: false, organizations: organizations.filter((id) => id === organizationId) }
}

function requireRoles(roles: readonly string[]): void {
  const isGood =
    roles.length <= 50 &&
    new Set(roles).size === roles.length &&
    roles.every((role) => /^[\x21-\x7E]{1,100}$/.test(role))
  // RFC 9110 §15.5.1.
  if (!isGood) throw new AdminError('role_invalid', { pointer: '/roles' })
}

const membership = ({ organizationId, userId }: MembershipTarget) => ({
  kind: 'membership' as const,
  id: `${organizationId}/${userId}`,
})

const nothing: Administered = { service: false, organizations: [] }
