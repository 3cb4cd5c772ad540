import { compareText } from '../filter/compare-text.ts'
import type { OrganizationId, UserId } from '../identifiers.ts'
import type { MembershipRecord, OrganizationRecord, OrganizationStore } from '../organization.ts'
import { frozenCopy } from './frozen-copy.ts'
import type { Pause } from './pause.ts'
import { presentUser, type UserTable } from './user-table.ts'

/** `removed` keeps the identifier taken. */
type StoredOrganization =
  | { readonly kind: 'present'; readonly record: OrganizationRecord; readonly members: Map<UserId, MembershipRecord> }
  | { readonly kind: 'removed' }

export type OrganizationTable = Map<OrganizationId, StoredOrganization>

export const createOrganizationTable = (): OrganizationTable => new Map()

interface Tables {
  readonly organizations: OrganizationTable
  readonly users: UserTable
}

export function createMemoryOrganizations({ organizations, users }: Tables, pause: Pause): OrganizationStore {
  const present = (id: OrganizationId) => {
    const stored = organizations.get(id)
    return stored?.kind === 'present' ? stored : undefined
  }
  const all = () => [...organizations.values()].flatMap((stored) => (stored.kind === 'present' ? [stored] : []))
  /** A membership whose account was removed is none. */
  const member = (organizationId: OrganizationId, userId: UserId): MembershipRecord | undefined =>
    presentUser(users, userId) === undefined ? undefined : present(organizationId)?.members.get(userId)

  return {
    async insert(organization) {
      await pause()
      const { organizationId } = organization
      if (organizations.has(organizationId)) return { outcome: 'taken' }

      organizations.set(organizationId, { kind: 'present', record: frozenCopy(organization), members: new Map() })
      return { outcome: 'inserted' }
    },

    async find(organizationId) {
      await pause()
      return present(organizationId)?.record
    },

    async list({ after, limit }) {
      await pause()
      return all()
        .map(({ record }) => record)
        .filter(({ organizationId }) => after === undefined || compareText(organizationId, after) > 0)
        .toSorted((one, other) => compareText(one.organizationId, other.organizationId))
        .slice(0, limit)
    },

    async compareAndSwap(organization, version) {
      await pause()
      const current = present(organization.organizationId)
      if (current === undefined) return { outcome: 'absent' }
      if (current.record.version !== version) return { outcome: 'conflict' }

      const record = frozenCopy({ ...organization, version: version + 1 })
      organizations.set(organization.organizationId, { ...current, record })
      return { outcome: 'swapped', record }
    },

    async remove(organizationId) {
      await pause()
      if (present(organizationId) === undefined) return { outcome: 'absent' }

      organizations.set(organizationId, { kind: 'removed' })
      return { outcome: 'removed' }
    },

    async insertMember(membership) {
      await pause()
      const { organizationId, userId } = membership
      const organization = present(organizationId)
      if (organization === undefined) return { outcome: 'absent', missing: 'organization' }
      if (presentUser(users, userId) === undefined) return { outcome: 'absent', missing: 'user' }
      if (organization.members.has(userId)) return { outcome: 'taken' }

      organization.members.set(userId, frozenCopy(membership))
      return { outcome: 'inserted' }
    },

    async compareAndSwapMember(membership, version) {
      await pause()
      const { organizationId, userId } = membership
      const current = member(organizationId, userId)
      if (current === undefined) return { outcome: 'absent' }
      if (current.version !== version) return { outcome: 'conflict' }

      const record = frozenCopy({ ...membership, version: version + 1 })
      present(organizationId)?.members.set(userId, record)
      return { outcome: 'swapped', record }
    },

    async removeMember(organizationId, userId) {
      await pause()
      if (member(organizationId, userId) === undefined) return { outcome: 'absent' }

      present(organizationId)?.members.delete(userId)
      return { outcome: 'removed' }
    },

    async findMember(organizationId, userId) {
      await pause()
      return member(organizationId, userId)
    },

    async listMembers({ organizationId, after, limit }) {
      await pause()
      return [...(present(organizationId)?.members.values() ?? [])]
        .filter(({ userId }) => presentUser(users, userId) !== undefined && (after === undefined || compareText(userId, after) > 0))
        .toSorted((one, other) => compareText(one.userId, other.userId))
        .slice(0, limit)
    },

    async listByUser(userId) {
      await pause()
      if (presentUser(users, userId) === undefined) return []
      return all()
        .flatMap(({ members }) => members.get(userId) ?? [])
        .toSorted((one, other) => compareText(one.organizationId, other.organizationId))
    },
  }
}
