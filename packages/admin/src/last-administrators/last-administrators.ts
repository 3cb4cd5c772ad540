// Over 250 lines: the rule that protects the last administrators, for administrators and for identity providers.

import {
  aListOfStrings,
  aNonEmptyString,
  checkOptions,
  listOf,
  type OptionChecks,
  required,
  aStorage,
} from '@mintmark/internal'
import type { ResourceType } from '@mintmark/scim'
import type { ProposedChange } from '@mintmark/scim/engine'
import {
  type AdminStorage,
  type JsonObject,
  matchesFilter,
  type ResolvedFilter,
  userId,
} from '@mintmark/storage-interface'
import type { FilterAttribute, MembershipRecord, OrganizationId } from '@mintmark/storage-interface/stores'

import { customField, readCustomFields, type CustomField } from '../custom-fields/custom-field.ts'
import { refuse } from '../error/refusals.ts'
import { comparableUser, hasId, isActive, isStandardClaim, userFilter, userTypeWithFields } from './user-filter.ts'

/** Which administrators are protected: the last of them cannot be deactivated or removed, and cannot lose the role. */
export interface LastAdministratorOptions {
  /**
   * Roles in organizations, such as `owner`. The last active user with one of these roles in an organization is
   * protected.
   * @defaultValue None. An organization may have no administrator.
   */
  readonly protectedRoles?: readonly string[]
  /**
   * A filter that matches the users who administer the service, such as `claims.staff_role eq "admin"` with a custom
   * field. The last active user who matches is protected. If an identity provider could make its users match, for
   * example because the filter tests a claim of OpenID Connect, the filter needs `and not (provider pr)`. It also needs
   * this if the option `claims` of `createScimServer` fills the custom field from a provider's data; the server cannot
   * detect that.
   * @defaultValue None. No user is protected, as in a service that is administered only by clients.
   */
  readonly administrators?: string
}

export const lastAdministratorOptions: OptionChecks<LastAdministratorOptions> = {
  protectedRoles: aListOfStrings,
  administrators: aNonEmptyString,
}

/** The options, with the filter resolved. */
export interface LastAdministrators {
  readonly protectedRoles: readonly string[]
  readonly administrators: ResolvedFilter | undefined
}

/**
 * Resolves the filter in the options.
 * @throws ScimError `invalidFilter` if the filter is invalid; TypeError if a directory could make one of its users
 * match.
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
  if (!requiresHostDecision(filter))
    throw new TypeError(
      'An identity provider could make its users match the filter of administrators. Add `and not (provider pr)`, or test that a custom field has a value.',
    )
  return filter
}

/**
 * Whether identity providers cannot make their users match a filter: the filter requires that the user has no provider,
 * a certain `id`, or a value in a claim that providers do not write. Requiring the absence of a value is not
 * sufficient, because a new user has no values.
 */
function requiresHostDecision(filter: ResolvedFilter): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.operands.some(requiresHostDecision)
    case 'or':
      return filter.operands.length > 0 && filter.operands.every(requiresHostDecision)
    case 'not':
      return filter.operand.kind === 'present' && filter.operand.attribute.name === 'provider'
    case 'element':
      return false
    case 'present':
      return isHostClaim(filter.attribute)
    case 'text':
      if (filter.attribute.name === 'id') return filter.operator === 'eq'
      return filter.operator !== 'ne' && isHostClaim(filter.attribute)
    case 'number':
    case 'boolean':
      return filter.operator !== 'ne' && isHostClaim(filter.attribute)
    default:
      return filter satisfies never
  }
}

/** Whether an attribute is a claim of the host. Providers write it only if the host's `claims` option lets them. */
const isHostClaim = ({ name, subName }: FilterAttribute): boolean => name === 'claims' && !isStandardClaim(subName)

/**
 * Protects the last administrators from identity providers: use it as `mayChange` of `createScimServer`. A request is
 * refused with 403 if it deactivates, removes or links the last administrator, or takes away the claim that makes them
 * an administrator. It is also refused if it gives a linked user claims that would make them an administrator after the
 * provider removes its link, because the claims stay. The check happens once, before the change, so it does not detect
 * concurrent changes by two providers.
 */
export function protectLastAdministrators(
  options: LastAdministratorOptions & {
    /** The storage that the SCIM server uses. */
    readonly storage: AdminStorage
    /**
     * The custom fields of `createAdministration`. Required if the filter uses one.
     * @defaultValue None. The filter can then use only the claims of OpenID Connect.
     */
    readonly customFields?: readonly CustomField[]
  },
): (change: ProposedChange) => Promise<boolean> {
  checkOptions('protectLastAdministrators', options, {
    ...lastAdministratorOptions,
    storage: required(aStorage),
    customFields: listOf(customField),
  })
  const { storage } = options
  const deps = {
    storage,
    lastAdministrators: lastAdministrators(options, userTypeWithFields(readCustomFields(options.customFields ?? []))),
  }
  return async (change) =>
    !(await makesAdministrator(change, deps)) &&
    !(await isOnlyAdministrator(change.userId, await findLostAdministration(change, deps), deps))
}

/**
 * Whether a change by a provider would make a user of the host an administrator after the provider removes its link.
 */
async function makesAdministrator(
  { userId: id, claims, providerId }: ProposedChange,
  { lastAdministrators: { administrators }, storage }: GuardDependencies,
): Promise<boolean> {
  if (administrators === undefined || claims === undefined) return false
  const user = await storage.users.find(id)
  if (user === undefined) return false
  const isMatch = (candidate: JsonObject): boolean =>
    matchesFilter(administrators)(comparableUser({ ...user, claims: candidate, providerId: undefined }))
  if (!isMatch(claims) || isMatch(user.claims)) return false
  // SCIM removes a user that the provider created, so only users of the host keep the claims.
  return user.providerId === undefined || (await storage.provisionedUsers.find(providerId, id))?.adopted === true
}

/** Returns what a user administers now but would not administer after a change by a provider. */
async function findLostAdministration(
  { userId: id, kind, claims, providerId }: ProposedChange,
  deps: GuardDependencies,
): Promise<Administered> {
  const administered = await findAdministered(id, deps)
  if (kind === 'deactivate' || kind === 'remove') return administered
  const { administrators } = deps.lastAdministrators
  const user = administered.service ? await deps.storage.users.find(id) : undefined
  if (administrators === undefined || user === undefined || claims === undefined) return noAdministration
  const remains = matchesFilter(administrators)(comparableUser({ ...user, claims, providerId }))
  return { service: !remains, organizations: [] }
}

/** The organizations that a user administers, and whether they administer the service. */
export interface Administered {
  readonly service: boolean
  readonly organizations: readonly OrganizationId[]
}

export const noAdministration: Administered = { service: false, organizations: [] }

interface GuardDependencies {
  readonly lastAdministrators: LastAdministrators
  readonly storage: AdminStorage
}

/** A change after which a user no longer administers something. */
export interface GuardedChange<Result> {
  readonly userId: string
  /** What the user administers now but not after the change. */
  readonly administered: Administered
  readonly apply: () => Promise<Result>
  readonly undo: (applied: Result) => Promise<unknown>
}

/**
 * Applies a change unless it would leave no administrator. The check is repeated after the change, because two
 * administrators who remove each other at the same time both pass the first check. After the second check at least one
 * of the two changes is undone.
 * @throws AdminError `last_administrator`.
 */
export async function applyUnlessLastAdministrator<Result>(
  { userId, administered, apply, undo }: GuardedChange<Result>,
  deps: GuardDependencies,
): Promise<Result> {
  // RFC 9110 §15.5.10: nobody could administer the service afterwards.
  if (await isOnlyAdministrator(userId, administered, deps)) throw refuse('last_administrator')

  const applied = await apply()
  if (!(await isOnlyAdministrator(userId, administered, deps))) return applied
  await undo(applied)
  // RFC 9110 §15.5.10: a concurrent change removed the other administrators.
  throw refuse('last_administrator')
}

/** Returns what a user administers now. A deactivated user administers nothing. */
export async function findAdministered(
  id: string,
  { lastAdministrators: rule, storage }: GuardDependencies,
): Promise<Administered> {
  const user = await storage.users.find(userId(id))
  if (user?.active !== true) return noAdministration
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

/** Counts users who match all filters. Returns 0 if storage cannot count them, so that the change is refused. */
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
