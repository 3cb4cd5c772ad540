import { aListOfTexts, aText, checkOptions, listOf, type OptionChecks, required, aStorage } from '@mintmark/internal'
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
   * field. One active user always matches. A filter that users of an identity provider could match, such as one over a
   * claim of OpenID Connect, needs `and not (provider pr)`. So does a custom field that the option `claims` of
   * `createScimServer` fills from what a provider sends; the server cannot notice that.
   * @defaultValue None. A service that clients administer needs no such user.
   */
  readonly administrators?: string
}

export const lastAdministratorOptions: OptionChecks<LastAdministratorOptions> = {
  protectedRoles: aListOfTexts,
  administrators: aText,
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
  if (!isBeyondProviders(filter))
    throw new TypeError(
      'An identity provider could make its users match the filter of administrators. Add `and not (provider pr)`, or test that a custom field has a value.',
    )
  return filter
}

/**
 * Whether no user of an identity provider matches a filter unless the host decides so: the filter requires that there is no provider,
 * an `id`, or a value in a claim that providers do not write. The absence of a value proves nothing: any new user has none.
 */
function isBeyondProviders(filter: ResolvedFilter): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.operands.some(isBeyondProviders)
    case 'or':
      return filter.operands.length > 0 && filter.operands.every(isBeyondProviders)
    case 'not':
      return filter.operand.kind === 'present' && filter.operand.attribute.name === 'provider'
    case 'element':
      return false
    case 'present':
      return isOwnClaim(filter.attribute)
    case 'text':
      if (filter.attribute.name === 'id') return filter.operator === 'eq'
      return filter.operator !== 'ne' && isOwnClaim(filter.attribute)
    case 'number':
    case 'boolean':
      return filter.operator !== 'ne' && isOwnClaim(filter.attribute)
    default:
      return filter satisfies never
  }
}

/** Whether an attribute is a claim of the host. Providers write it only if the host's `claims` option lets them. */
const isOwnClaim = ({ name, subName }: FilterAttribute): boolean => name === 'claims' && !isStandardClaim(subName)

/**
 * Protects the last administrators from identity providers: use it as `mayChange` of `createScimServer`. A request that
 * deactivates or removes the last administrator, links them, or takes the claim that makes them one, is answered with 403.
 * So is a request that writes a claim to a linked user which would make them an administrator without their provider: the
 * claims stay when the provider removes its link. The check happens once, before the change, so it does not notice
 * concurrent changes by two providers.
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
    !(await isOnlyAdministrator(change.userId, await administeredNoMore(change, deps), deps))
}

/** Whether a user whom the host had before would be an administrator by the claims of a change, once the provider has left. */
async function makesAdministrator(
  { userId: id, claims, providerId }: ProposedChange,
  { lastAdministrators: { administrators }, storage }: GuardDependencies,
): Promise<boolean> {
  if (administrators === undefined || claims === undefined) return false
  const user = await storage.users.find(id)
  if (user === undefined) return false
  const isMatch = (given: JsonObject): boolean =>
    matchesFilter(administrators)(comparableUser({ ...user, claims: given, providerId: undefined }))
  if (!isMatch(claims) || isMatch(user.claims)) return false
  // The users that a provider created leave together with it.
  return user.providerId === undefined || (await storage.provisionedUsers.find(providerId, id))?.adopted === true
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
