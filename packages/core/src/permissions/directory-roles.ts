import {
  aListOfStrings,
  aNonEmptyString,
  anObject,
  checkOptions,
  isJsonObject,
  listOf,
  optionsOf,
  parseJsonObject,
  required,
} from '@mintmark/internal'
import type { JsonObject, JsonValue, OAuthStorage, ScimStorage } from '@mintmark/storage-interface'
import { type DirectoryRoles, type ProviderId, requireStores } from '@mintmark/storage-interface/stores'

import { revokingLostRoles } from './lost-roles.ts'

/** Options of `withDirectoryRoles`. */
interface DirectoryRolesOptions {
  /** All roles of your product. A rule for another one is a mistake, and refused. */
  readonly roles: readonly string[]
  /** Which roles the users of directories have. A user has the roles of all rules that apply. */
  readonly rules: readonly DirectoryRoleRule[]
}

/**
 * A rule: which users of a directory have a role in the organization of their directory. It has exactly one of `scimRole`, `group`
 * and `groupExternalId`.
 */
interface DirectoryRoleRule {
  /** The role that they have. */
  readonly role: string
  /** A `value` of the SCIM attribute `roles` of the user, whatever its case (RFC 7643 §8.7.1). */
  readonly scimRole?: string
  /** The `displayName` of a group that the user is a direct member of, whatever its case. */
  readonly group?: string
  /** The `externalId` of a group that the user is a direct member of. It stays the same when the group is renamed. */
  readonly groupExternalId?: string
  /**
   * The directory that the rule is for.
   * @defaultValue All directories. The values of `roles` are mostly your own, and the same for all customers.
   */
  readonly providerId?: string
}

/** A storage with organizations and directories. */
type OrganizationStorage = ScimStorage & Required<Pick<OAuthStorage, 'organizations'>>

/**
 * Returns the storage with roles that directories assign: a user of a directory that is connected to an organization has there, in
 * addition to the roles of the membership, the roles of the rules. They are computed from the directory's users and groups when tokens
 * are issued. When a directory takes one away, everything that was issued to the user for the organization is revoked. Give the result
 * to every server that uses the storage: `createAuthorizationServer` issues the roles, and `createScimServer` revokes and reports.
 * @throws TypeError when a rule names a role that is not in `roles`, or has not exactly one source.
 */
export function withDirectoryRoles<Storage extends OrganizationStorage>(
  storage: Storage,
  options: DirectoryRolesOptions,
): Storage {
  checkOptions<DirectoryRolesOptions>('withDirectoryRoles', options, {
    roles: required(aListOfStrings),
    rules: required(listOf(anObject)),
  })
  requireStores(storage, { capability: 'scim', feature: 'withDirectoryRoles' })
  requireStores(storage, { capability: 'organizations', feature: 'withDirectoryRoles' })
  for (const rule of options.rules) checkRule(rule, options.roles)
  const directoryRoles = createDirectoryRoles(options.rules, storage)
  return { ...storage, ...revokingLostRoles(storage, directoryRoles), directoryRoles }
}

const sources = ['scimRole', 'group', 'groupExternalId'] as const satisfies readonly (keyof DirectoryRoleRule)[]

function checkRule(rule: DirectoryRoleRule, roles: readonly string[]): void {
  const problem = aRule(rule)
  const { role } = rule
  if (problem !== undefined) throw new TypeError(`withDirectoryRoles: a rule${problem}.`)
  if (!roles.includes(role))
    throw new TypeError(`withDirectoryRoles: the role ${role} of a rule is not one of the roles ${roles.join(', ')}.`)
  if (sources.filter((name) => rule[name] !== undefined).length !== 1)
    throw new TypeError(`withDirectoryRoles: a rule for the role ${role} must have one of ${sources.join(', ')}.`)
}

const aRule = optionsOf<DirectoryRoleRule>({
  role: required(aNonEmptyString),
  scimRole: aNonEmptyString,
  group: aNonEmptyString,
  groupExternalId: aNonEmptyString,
  providerId: aNonEmptyString,
})

function createDirectoryRoles(rules: readonly DirectoryRoleRule[], storage: OrganizationStorage): DirectoryRoles {
  const rulesOf = (providerId: ProviderId): readonly DirectoryRoleRule[] =>
    rules.filter((rule) => rule.providerId === undefined || rule.providerId === providerId)

  return {
    async rolesOf(userId, organizationId) {
      const providerId = (await storage.users.find(userId))?.providerId
      if (providerId === undefined) return []
      const applying = rulesOf(providerId)
      const readsGroups = applying.some(({ scimRole }) => scimRole === undefined)
      const [provider, user, ...groups] = await Promise.all([
        storage.identityProviders.find(providerId),
        storage.provisionedUsers.find(providerId, userId, readsGroups ? {} : { without: 'groups' }),
        ...applying.map(async ({ groupExternalId }) =>
          groupExternalId === undefined ? undefined : storage.groups.findByExternalId(providerId, groupExternalId),
        ),
      ])
      if (user === undefined || provider?.organizationId !== organizationId) return []
      const values = scimRoles(parseJsonObject(user.resource))
      const memberOf = user.groups ?? []
      return rolesOfRules(applying, ({ scimRole, group, groupExternalId }) => {
        if (scimRole !== undefined) return values.some((value) => isSame(value, scimRole))
        if (group !== undefined) return memberOf.some(({ displayName }) => isSame(displayName, group))
        const named = groups.find((found) => found?.externalId === groupExternalId)
        return named !== undefined && memberOf.some(({ groupId }) => groupId === named.groupId)
      })
    },

    ofGroup: (providerId, { displayName, externalId }) =>
      rolesOfRules(
        rulesOf(providerId),
        ({ group, groupExternalId }) =>
          isSame(group, displayName) || (groupExternalId !== undefined && groupExternalId === externalId),
      ),

    ofUser(providerId, resource) {
      const values = scimRoles(parseJsonObject(resource))
      return rolesOfRules(rulesOf(providerId), ({ scimRole }) => values.some((value) => isSame(scimRole, value)))
    },

    unmapped(providerId, resource) {
      const known = rulesOf(providerId)
      const values = scimRoles(parseJsonObject(resource))
      return values.filter((value) => !known.some(({ scimRole }) => isSame(scimRole, value)))
    },
  }
}

const rolesOfRules = (
  rules: readonly DirectoryRoleRule[],
  applies: (rule: DirectoryRoleRule) => boolean,
): readonly string[] => [...new Set(rules.filter(applies).map(({ role }) => role))]

/** Whether two values are the same. Neither names of groups nor values of roles are case-exact (RFC 7643 §8.7.1). */
const isSame = (configured: string | undefined, sent: string): boolean =>
  configured !== undefined && foldCase(configured) === foldCase(sent)

const foldCase = (text: string): string => text.normalize('NFC').toLowerCase()

const scimRoles = (resource: JsonObject | undefined): readonly string[] => scimValues(resource?.['roles'])

/** Returns the `value` members of a multi-valued SCIM attribute (RFC 7643 §2.4). */
export const scimValues = (attribute: JsonValue | undefined): readonly string[] =>
  Array.isArray(attribute)
    ? attribute.flatMap((element: JsonValue) => {
        const value = isJsonObject(element) ? element['value'] : undefined
        return typeof value === 'string' ? [value] : []
      })
    : []
