import {
  userId,
  type MembershipRecord,
  type OrganizationId,
  type ResolvedFilter,
  type Storage,
} from '@mintmark/storage-interface'

import { hasId, isActive } from '../account/account-filter.ts'

/** Which accounts may not be ended or stripped while nobody else could take their place. */
export interface LastAdministrators {
  /** Roles of which every organization that has one keeps an active holder. */
  readonly protectedRoles: readonly string[]
  /** Accounts that administer the service; undefined when none are told by their claims. */
  readonly administrators: ResolvedFilter | undefined
}

interface GuardDependencies {
  readonly lastAdministrators: LastAdministrators
  readonly storage: Storage
}

/** What an account administers. */
export interface Administered {
  readonly service: boolean
  readonly organizations: readonly OrganizationId[]
}

/** What an account administers now: nothing, when it is not in use. */
export async function administeredBy(
  id: string,
  { lastAdministrators: rule, storage }: GuardDependencies,
): Promise<Administered> {
  const user = await storage.users.find(userId(id))
  if (user?.active !== true) return { service: false, organizations: [] }
  const memberships = await storage.organizations.listByUser(user.userId)
  return {
    service: rule.administrators !== undefined && (await countOf([rule.administrators, hasId(id)], storage)) > 0,
    organizations: memberships
      .filter((membership) => holdsProtectedRole(membership, rule))
      .map(({ organizationId }) => organizationId),
  }
}

/** Whether something of it would be, or is, without an administrator but this account. */
export async function lacksOthers(
  id: string,
  administered: Administered,
  { lastAdministrators: rule, storage }: GuardDependencies,
): Promise<boolean> {
  if (administered.service && rule.administrators !== undefined) {
    const others = await countOf([rule.administrators, isActive, { kind: 'not', operand: hasId(id) }], storage)
    if (others === 0) return true
  }
  for (const organizationId of administered.organizations) {
    if (!(await hasOther(id, organizationId, { lastAdministrators: rule, storage }))) return true
  }
  return false
}

/** Whether a membership has a role that an organization keeps a holder of. */
export const holdsProtectedRole = (
  { roles }: Pick<MembershipRecord, 'roles'>,
  { protectedRoles }: LastAdministrators,
): boolean => roles.some((role) => protectedRoles.includes(role))

/** Fails closed: where storage will not tell who there is, there is nobody. */
async function countOf(operands: readonly ResolvedFilter[], storage: Storage): Promise<number> {
  const found = await storage.users.list({
    filter: { kind: 'and', operands },
    sort: undefined,
    page: { kind: 'index', offset: 0, limit: 0 },
  })
  return found.outcome === 'listed' ? found.total : 0
}

/** Whether somebody else who is in use holds a protected role in the organization. */
async function hasOther(
  id: string,
  organizationId: OrganizationId,
  { lastAdministrators: rule, storage }: GuardDependencies,
): Promise<boolean> {
  let after: MembershipRecord['userId'] | undefined
  for (;;) {
    const members = await storage.organizations.listMembers({ organizationId, after, limit: pageSize })
    for (const member of members) {
      if (member.userId === id || !holdsProtectedRole(member, rule)) continue
      if ((await storage.users.find(member.userId))?.active === true) return true
    }
    if (members.length < pageSize) return false
    after = members.at(-1)?.userId
  }
}

const pageSize = 200
