import { untilSettled, type MembershipInsertOutcome, type OrganizationStore } from '@mintmark/storage-interface'
import { createColumnReader } from '../columns.ts'
import type { Database } from '../database.ts'
import { membershipReader, membershipRow } from '../rows/membership-row.ts'
import { organizationReader, organizationRow } from '../rows/organization-row.ts'
import { membershipStatements } from './membership-statements.ts'
import { organizationStatements } from './organization-statements.ts'

export function createOrganizationStore({ query, engine, run }: Database): OrganizationStore {
  const statements = organizationStatements(query)
  const memberships = membershipStatements(query)
  const columns = createColumnReader(engine)
  const read = organizationReader(columns)
  const readMember = membershipReader(columns)

  /** Why nobody was inserted. @returns `undefined` when what was seen does not explain it. */
  async function explain(key: {
    organization_id: string
    user_id: string
  }): Promise<MembershipInsertOutcome | undefined> {
    const [row] = await run(memberships.inspect, key)
    if (row === undefined || !columns.flag(row, 'has_organization'))
      return { outcome: 'absent', missing: 'organization' }
    if (!columns.flag(row, 'has_user')) return { outcome: 'absent', missing: 'user' }
    return columns.flag(row, 'has_membership') ? { outcome: 'taken' } : undefined
  }

  return {
    async insert(organization) {
      const [row] = await run(statements.insert, organizationRow(organization))
      return { outcome: row === undefined ? 'taken' : 'inserted' }
    },

    async find(organizationId) {
      const [row] = await run(statements.find, { organization_id: organizationId })
      return row === undefined ? undefined : read(row)
    },

    async list({ after, limit }) {
      // No identifier is empty: every one is behind that.
      const rows = await run(statements.list, { after: after ?? '', limit })
      return rows.map(read)
    },

    async compareAndSwap(organization, version) {
      return untilSettled(async () => {
        const [swapped] = await run(statements.swap, { ...organizationRow(organization), version })
        if (swapped !== undefined) return { outcome: 'swapped', record: read(swapped) }

        const [current] = await run(statements.find, { organization_id: organization.organizationId })
        if (current === undefined) return { outcome: 'absent' }
        return columns.integer(current, 'version') === version ? undefined : { outcome: 'conflict' }
      })
    },

    async remove(organizationId, now) {
      const [row] = await run(statements.remove, { organization_id: organizationId, no_name: '', now })
      return { outcome: row === undefined ? 'absent' : 'removed' }
    },

    async insertMember(membership) {
      const values = membershipRow(membership)
      return untilSettled(async () => {
        const [inserted] = await run(memberships.insert, values)
        return inserted === undefined
          ? explain({ organization_id: membership.organizationId, user_id: membership.userId })
          : { outcome: 'inserted' }
      })
    },

    async compareAndSwapMember(membership, version) {
      const key = { organization_id: membership.organizationId, user_id: membership.userId }
      return untilSettled(async () => {
        const [swapped] = await run(memberships.swap, { ...membershipRow(membership), version })
        if (swapped !== undefined) return { outcome: 'swapped', record: readMember(swapped) }

        const [current] = await run(memberships.find, key)
        if (current === undefined) return { outcome: 'absent' }
        return columns.integer(current, 'version') === version ? undefined : { outcome: 'conflict' }
      })
    },

    async removeMember(organizationId, userId) {
      const [row] = await run(memberships.remove, { organization_id: organizationId, user_id: userId })
      return { outcome: row === undefined ? 'absent' : 'removed' }
    },

    async findMember(organizationId, userId) {
      const [row] = await run(memberships.find, { organization_id: organizationId, user_id: userId })
      return row === undefined ? undefined : readMember(row)
    },

    async listMembers({ organizationId, after, limit }) {
      const rows = await run(memberships.listByOrganization, {
        organization_id: organizationId,
        after: after ?? '',
        limit,
      })
      return rows.map(readMember)
    },

    async listByUser(userId) {
      const rows = await run(memberships.listByUser, { user_id: userId })
      return rows.map(readMember)
    },
  }
}
