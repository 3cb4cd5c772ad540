import { compareText } from '../filter/matches-filter.ts'
import type { EpochSeconds, OrganizationId, ProviderId, UserId } from '../values.ts'
import type { MembershipRecord, OrganizationRecord, OrganizationStore } from '../organization.ts'
import { revokeFamilies, type FamilyTable } from './families.ts'
import type { RevocationTable } from './revocation-table.ts'
import { type OrderedRows, type SchedulerHook, createOrderedRows, frozenCopy, pageAfter } from './rows.ts'
import { presentUser, type UserTable } from './users.ts'
import type { IdentityProviderTable } from './client-table.ts'

interface StoredOrganization {
  readonly record: OrganizationRecord
  readonly members: OrderedRows<UserId, MembershipRecord>
}

export interface OrganizationTable {
  /** The organizations that were not removed. */
  readonly present: OrderedRows<OrganizationId, StoredOrganization>
  /** Identifiers of removed organizations, which stay taken. */
  readonly removed: Set<OrganizationId>
  /** The organizations that a user is a member of. */
  readonly ofUser: Map<UserId, Set<OrganizationId>>
}

export const createOrganizationTable = (): OrganizationTable => ({
  present: createOrderedRows(),
  removed: new Set(),
  ofUser: new Map(),
})

interface Tables {
  readonly organizations: OrganizationTable
  readonly users: UserTable
  readonly families: FamilyTable
  readonly revocations: RevocationTable
}

export function createMemoryOrganizations(tables: Tables, scheduler: SchedulerHook): OrganizationStore {
  const { users } = tables
  const { present, removed, ofUser } = tables.organizations
  /** Ignores memberships of removed users. */
  const member = (organizationId: OrganizationId, userId: UserId): MembershipRecord | undefined =>
    presentUser(users, userId) === undefined ? undefined : present.get(organizationId)?.members.get(userId)

  return {
    async insert(organization) {
      await scheduler()
      const { organizationId } = organization
      if (present.has(organizationId) || removed.has(organizationId)) return { outcome: 'taken' }

      present.set(organizationId, { record: frozenCopy(organization), members: createOrderedRows() })
      return { outcome: 'inserted' }
    },

    async find(organizationId) {
      await scheduler()
      return present.get(organizationId)?.record
    },

    async list(page) {
      await scheduler()
      return pageAfter(present, page).map(({ record }) => record)
    },

    async compareAndSwap(organization, version) {
      await scheduler()
      const current = present.get(organization.organizationId)
      if (current === undefined) return { outcome: 'absent' }
      if (current.record.version !== version) return { outcome: 'conflict' }

      const record = frozenCopy({ ...organization, version: version + 1 })
      present.set(organization.organizationId, { ...current, record })
      return { outcome: 'swapped', record }
    },

    async remove(organizationId, now) {
      await scheduler()
      const current = present.get(organizationId)
      if (current === undefined) return { outcome: 'absent' }

      for (const { userId } of current.members.rowsAfter(undefined)) ofUser.get(userId)?.delete(organizationId)
      revokeFamilies(tables, (family) => family.organizationId === organizationId, now)
      present.delete(organizationId)
      removed.add(organizationId)
      return { outcome: 'removed' }
    },

    async insertMember(membership) {
      await scheduler()
      const { organizationId, userId } = membership
      if (!present.has(organizationId)) return { outcome: 'absent', missing: 'organization' }
      if (presentUser(users, userId) === undefined) return { outcome: 'absent', missing: 'user' }
      return { outcome: addMember(tables.organizations, membership) ? 'inserted' : 'taken' }
    },

    async compareAndSwapMember(membership, version) {
      await scheduler()
      const { organizationId, userId } = membership
      const current = member(organizationId, userId)
      if (current === undefined) return { outcome: 'absent' }
      if (current.version !== version) return { outcome: 'conflict' }

      const record = frozenCopy({ ...membership, version: version + 1 })
      present.get(organizationId)?.members.set(userId, record)
      return { outcome: 'swapped', record }
    },

    async removeMember(organizationId, userId, now) {
      await scheduler()
      if (member(organizationId, userId) === undefined) return { outcome: 'absent' }

      present.get(organizationId)?.members.delete(userId)
      ofUser.get(userId)?.delete(organizationId)
      revokeFamilies(tables, (family) => family.organizationId === organizationId && family.userId === userId, now)
      return { outcome: 'removed' }
    },

    async revokeTokens({ organizationId, userIds, now }) {
      await scheduler()
      const named = new Set(userIds)
      revokeFamilies(tables, (family) => family.organizationId === organizationId && named.has(family.userId), now)
    },

    async findMember(organizationId, userId) {
      await scheduler()
      return member(organizationId, userId)
    },

    async listMembers({ organizationId, after, limit }) {
      await scheduler()
      const shown: MembershipRecord[] = []
      for (const membership of present.get(organizationId)?.members.rowsAfter(after) ?? []) {
        if (shown.length === limit) break
        if (presentUser(users, membership.userId) !== undefined) shown.push(membership)
      }
      return shown
    },

    async listByUser(userId) {
      await scheduler()
      return [...(ofUser.get(userId) ?? [])]
        .toSorted(compareText)
        .flatMap((organizationId) => member(organizationId, userId) ?? [])
    },
  }
}

function addMember({ present, ofUser }: OrganizationTable, membership: MembershipRecord): boolean {
  const { organizationId, userId } = membership
  const organization = present.get(organizationId)
  if (organization === undefined || organization.members.has(userId)) return false
  organization.members.set(userId, frozenCopy(membership))
  ofUser.set(userId, (ofUser.get(userId) ?? new Set<OrganizationId>()).add(organizationId))
  return true
}

interface ProviderTables {
  readonly organizations: OrganizationTable
  readonly identityProviders: IdentityProviderTable
}

interface UserOfProvider {
  readonly providerId: ProviderId
  readonly userId: UserId
  readonly now: EpochSeconds
}

/** Makes a user a member of the provider's organization, if the provider has one. */
export function joinOrganization(tables: ProviderTables, { providerId, userId, now }: UserOfProvider): void {
  const organizationId = tables.identityProviders.present.get(providerId)?.organizationId
  if (organizationId !== undefined)
    addMember(tables.organizations, { organizationId, userId, roles: [], createdAt: now, updatedAt: now, version: 1 })
}

/** Removes a user from the provider's organization. */
export function leaveOrganization(tables: ProviderTables, { providerId, userId }: Omit<UserOfProvider, 'now'>): void {
  const organizationId = tables.identityProviders.present.get(providerId)?.organizationId
  if (organizationId === undefined) return
  tables.organizations.present.get(organizationId)?.members.delete(userId)
  tables.organizations.ofUser.get(userId)?.delete(organizationId)
}
