import type { ResourceType } from '@mintmark/scim'
import type { ProposedChange } from '@mintmark/scim/engine'
import { type AdminStorage, matchesFilter, type ResolvedFilter, userId } from '@mintmark/storage-interface'
import type { MembershipRecord, OrganizationId } from '@mintmark/storage-interface/stores'

import { readCustomFields, type CustomField } from '../custom-fields/custom-field.ts'
import { AdminError } from '../error/refusals.ts'
import { comparableUser, hasId, isActive, isStandardClaim, userFilter, userTypeWithFields } from './user-filter.ts'

/** Which administrators are protected: the last one of a kind cannot be deactivated, removed or lose the role. */
export interface LastAdministratorOptions {
  /**
   * Roles in organizations, such as `owner`. An organization with an active user in one of them always keeps one.
   * @defaultValue None. An organization may have no administrator.
   */
  readonly protectedRoles?: readonly string[]
  /**
   * A filter that matches the users who administer the service, such as `claims.staff_role eq "admin"` with a custom
   * field. One active user always matches. A filter over a claim of OpenID Connect, which any identity provider can
   * write, needs `and not (provider pr)`.
   * @defaultValue None. A service that clients administer needs no such user.
   */
  readonly administrators?: string
}

/** The options, with the filter resolved. */
export interface LastAdministrators {
  readonly protectedRoles: readonly string[]
  readonly administrators: ResolvedFilter | undefined
}

/**
 * @throws ScimError invalidFilter when the filter of administrators is not valid; TypeError when a directory could make
 * one of its users match.
 */
export const lastAdministrators = (
  { protectedRoles = [], administrators }: LastAdministratorOptions,
  type: ResourceType,
): LastAdministrators => ({
  protectedRoles,
  administrators: administrators === undefined ? undefined : administratorsFilter(administrators, type),
})

function administratorsFilter(text: string, type: ResourceType): ResolvedFilter {
  const filter = userFilter(text, type)
  if (dependsOnProviders(filter))
    throw new TypeError(
      'The filter of administrators uses a claim that identity providers write. Add `and not (provider pr)`, or use a custom field.',
    )
  return filter
}

/** Whether a filter compares a claim that identity providers write, for users who have a provider. */
function dependsOnProviders(filter: ResolvedFilter): boolean {
  switch (filter.kind) {
    case 'and':
      return !filter.operands.some(excludesProviders) && filter.operands.some(dependsOnProviders)
    case 'or':
      return filter.operands.some(dependsOnProviders)
    case 'not':
      return dependsOnProviders(filter.operand)
    case 'element':
      return dependsOnProviders(filter.where)
    default:
      return filter.attribute.name === 'claims' && isStandardClaim(filter.attribute.subName)
  }
}

const excludesProviders = (filter: ResolvedFilter): boolean =>
  filter.kind === 'not' && filter.operand.kind === 'present' && filter.operand.attribute.name === 'provider'

/**
 * Protects the last administrators from identity providers: use it as `mayChange` of `createScimServer`. A request that
 * deactivates or removes the last administrator, links them, or takes the claim that makes them one, is answered with 403. The check happens once,
 * before the change, so it does not notice concurrent changes by two providers.
 */
export function protectLastAdministrators(
  options: LastAdministratorOptions & {
    /** The storage of SCIM. */
    readonly storage: AdminStorage
    /**
     * The custom fields of `createAdministration`, when the filter uses one.
     * @defaultValue None. Claims of OpenID Connect need no declaration.
     */
    readonly customFields?: readonly CustomField[]
  },
): (change: ProposedChange) => Promise<boolean> {
  const { storage } = options
  const deps = {
    storage,
    lastAdministrators: lastAdministrators(options, userTypeWithFields(readCustomFields(options.customFields ?? []))),
  }
  return async (change) => !(await isOnlyAdministrator(change.userId, await administeredNoMore(change, deps), deps))
}

/** What a user administers now, and would not administer after a change by a provider. */
async function administeredNoMore(
  { userId: id, kind, claims, providerId }: ProposedChange,
  deps: GuardDependencies,
): Promise<Administered> {
  const administered = await administeredBy(id, deps)
  if (kind === 'deactivate' || kind === 'remove') return administered
  const { administrators } = deps.lastAdministrators
  const user = administered.service ? await deps.storage.users.find(id) : undefined
  if (administrators === undefined || user === undefined || claims === undefined) return nothingAdministered
  const remains = matchesFilter(administrators)(comparableUser({ ...user, claims, providerId }))
  return { service: !remains, organizations: [] }
}

/** The organizations that a user administers, and whether they administer the service. */
export interface Administered {
  readonly service: boolean
  readonly organizations: readonly OrganizationId[]
}

export const nothingAdministered: Administered = { service: false, organizations: [] }

interface GuardDependencies {
  readonly lastAdministrators: LastAdministrators
  readonly storage: AdminStorage
}

/** A change after which a user no longer administers something. */
export interface GuardedChange<Result> {
  readonly userId: string
  /** What the user administers now, and will not administer after the change. */
  readonly administered: Administered
  readonly apply: () => Promise<Result>
  readonly undo: (applied: Result) => Promise<unknown>
}

/**
 * Applies a change unless it would leave no administrator. The check is repeated after the change: two administrators
 * who remove each other at the same time both pass the first check. The second check then undoes at least one of the
 * two changes.
 * @throws AdminError `last_administrator`.
 */
export async function unlessLastAdministrator<Result>(
  { userId, administered, apply, undo }: GuardedChange<Result>,
  deps: GuardDependencies,
): Promise<Result> {
  // RFC 9110 §15.5.10: nobody could administer any more.
  if (await isOnlyAdministrator(userId, administered, deps)) throw new AdminError('last_administrator')

  const applied = await apply()
  if (!(await isOnlyAdministrator(userId, administered, deps))) return applied
  await undo(applied)
  // RFC 9110 §15.5.10: a concurrent change removed the other administrators.
  throw new AdminError('last_administrator')
}

/** Returns what a user administers now: nothing while they are deactivated. */
export async function administeredBy(
  id: string,
  { lastAdministrators: rule, storage }: GuardDependencies,
): Promise<Administered> {
  const user = await storage.users.find(userId(id))
  if (user?.active !== true) return nothingAdministered
  const memberships = await storage.organizations.listByUser(user.userId)
  return {
    service: rule.administrators !== undefined && (await countUsers([rule.administrators, hasId(id)], storage)) > 0,
    organizations: memberships
      .filter((membership) => hasProtectedRole(membership, rule))
      .map(({ organizationId }) => organizationId),
  }
}

/** Whether a membership has a protected role. */
export const hasProtectedRole = (
  { roles }: Pick<MembershipRecord, 'roles'>,
  { protectedRoles }: LastAdministrators,
): boolean => roles.some((role) => protectedRoles.includes(role))

async function isOnlyAdministrator(
  id: string,
  administered: Administered,
  { lastAdministrators: rule, storage }: GuardDependencies,
): Promise<boolean> {
  if (administered.service && rule.administrators !== undefined) {
    const others = await countUsers([rule.administrators, isActive, { kind: 'not', operand: hasId(id) }], storage)
    if (others === 0) return true
  }
  for (const organizationId of administered.organizations) {
    if (!(await hasOtherAdministrator(id, organizationId, { lastAdministrators: rule, storage }))) return true
  }
  return false
}

/** Fails closed: when storage cannot count, there are no other administrators. */
async function countUsers(operands: readonly ResolvedFilter[], storage: AdminStorage): Promise<number> {
  const found = await storage.users.list({
    filter: { kind: 'and', operands },
    sort: undefined,
    page: { kind: 'index', offset: 0, limit: 0 },
  })
  return found.outcome === 'listed' ? found.total : 0
}

/** Whether another active user has a protected role in the organization. */
async function hasOtherAdministrator(
  id: string,
  organizationId: OrganizationId,
  { lastAdministrators: rule, storage }: GuardDependencies,
): Promise<boolean> {
  let after: MembershipRecord['userId'] | undefined
  for (;;) {
    const members = await storage.organizations.listMembers({ organizationId, after, limit: pageSize })
    for (const member of members) {
      if (member.userId === id || !hasProtectedRole(member, rule)) continue
      if ((await storage.users.find(member.userId))?.active === true) return true
    }
    if (members.length < pageSize) return false
    after = members.at(-1)?.userId
  }
}

const pageSize = 200
