import { type MembershipInsertOutcome, type OrganizationStore, untilSettled } from '@mintmark/storage-interface'
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { createColumnReader } from '../row.ts'
import { membershipColumns, membershipReader, membershipRow } from '../rows/membership-row.ts'
import { organizationColumns, organizationReader, organizationRow } from '../rows/organization-row.ts'
import { compileSql, compileStatement, type Parameter, parameters } from '../statement.ts'

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

function organizationStatements(query: Database['query']) {
  const present = (p: Parameter<'issuer' | 'organization_id'>) =>
    query
      .updateTable('mintmark_organizations')
      .where('issuer', '=', p('issuer'))
      .where('organization_id', '=', p('organization_id'))
      .where('removed_at', 'is', null)

  return {
    insert: compileStatement((p: Parameter<(typeof organizationColumns)[number]>) =>
      query
        .insertInto('mintmark_organizations')
        .values(parameters(p, organizationColumns))
        .onConflict((conflict) => conflict.doNothing())
        .returning('version'),
    ),

    find: compileStatement((p: Parameter<'issuer' | 'organization_id'>) =>
      query
        .selectFrom('mintmark_organizations')
        .select(organizationColumns)
        .where('issuer', '=', p('issuer'))
        .where('organization_id', '=', p('organization_id'))
        .where('removed_at', 'is', null),
    ),

    list: compileStatement((p: Parameter<'issuer' | 'after' | 'limit'>) =>
      query
        .selectFrom('mintmark_organizations')
        .select(organizationColumns)
        .where('issuer', '=', p('issuer'))
        .where('organization_id', '>', p('after'))
        .where('removed_at', 'is', null)
        .orderBy('organization_id')
        .limit((limit) => limit.val(p('limit') as number)),
    ),

    swap: compileStatement((p: Parameter<(typeof organizationColumns)[number]>) =>
      present(p)
        .set(parameters(p, ['display_name', 'created_at', 'updated_at']))
        .set((set) => ({ version: set('version', '+', 1) }))
        .where('version', '=', p('version'))
        .returning(organizationColumns),
    ),

    /** A trigger ends its memberships, as part of the statement. */
    remove: compileStatement((p: Parameter<'issuer' | 'organization_id' | 'no_name' | 'now'>) =>
      present(p)
        .set((set) => ({
          display_name: p('no_name'),
          updated_at: p('now'),
          version: set('version', '+', 1),
          removed_at: p('now'),
        }))
        .returning('version'),
    ),
  }
}

type Membership = 'issuer' | 'organization_id' | 'user_id'

/**
 * Triggers end the memberships of an organization and of an account that is removed. Whoever joins in that moment leaves a row
 * behind that is none: it is read, changed and removed only where both are there.
 */
function membershipStatements(query: Database['query']) {
  const present = () =>
    query
      .selectFrom('mintmark_memberships')
      .innerJoin('mintmark_organizations as organization', (join) =>
        join
          .onRef('organization.issuer', '=', 'mintmark_memberships.issuer')
          .onRef('organization.organization_id', '=', 'mintmark_memberships.organization_id')
          .on('organization.removed_at', 'is', null),
      )
      .innerJoin('mintmark_users as user', (join) =>
        join
          .onRef('user.issuer', '=', 'mintmark_memberships.issuer')
          .onRef('user.user_id', '=', 'mintmark_memberships.user_id')
          .on('user.removed_at', 'is', null),
      )
      .select(membershipColumns.map((column) => `mintmark_memberships.${column}` as const))

  return {
    insert: compileSql(query, (p: Parameter<(typeof membershipColumns)[number]>) => {
      const columns = sql.join(membershipColumns.map((column) => sql.ref(column)))
      const values = sql.join(membershipColumns.map((column) => sql`${p(column)}`))
      return sql`insert into mintmark_memberships (${columns}) select ${values}
        where ${hasOrganization(p)} and ${hasUser(p)} on conflict do nothing returning version`
    }),

    /** What a membership needs, and whether it is there: all of one moment. */
    inspect: compileSql(
      query,
      (p: Parameter<Membership>) =>
        sql`select ${hasOrganization(p)} as has_organization, ${hasUser(p)} as has_user,
        exists (select 1 from mintmark_memberships where ${key(p)}) as has_membership`,
    ),

    find: compileStatement((p: Parameter<Membership>) =>
      present()
        .where('mintmark_memberships.issuer', '=', p('issuer'))
        .where('mintmark_memberships.organization_id', '=', p('organization_id'))
        .where('mintmark_memberships.user_id', '=', p('user_id')),
    ),

    swap: compileStatement((p: Parameter<(typeof membershipColumns)[number]>) =>
      query
        .updateTable('mintmark_memberships')
        .set(parameters(p, ['roles', 'created_at', 'updated_at']))
        .set((set) => ({ version: set('version', '+', 1) }))
        .where(sql<boolean>`${key(p)} and ${hasOrganization(p)} and ${hasUser(p)}`)
        .where('version', '=', p('version'))
        .returning(membershipColumns),
    ),

    remove: compileStatement((p: Parameter<Membership>) =>
      query
        .deleteFrom('mintmark_memberships')
        .where(sql<boolean>`${key(p)} and ${hasOrganization(p)} and ${hasUser(p)}`)
        .returning('version'),
    ),

    listByOrganization: compileStatement((p: Parameter<'issuer' | 'organization_id' | 'after' | 'limit'>) =>
      present()
        .where('mintmark_memberships.issuer', '=', p('issuer'))
        .where('mintmark_memberships.organization_id', '=', p('organization_id'))
        .where('mintmark_memberships.user_id', '>', p('after'))
        .orderBy('mintmark_memberships.user_id')
        .limit((limit) => limit.val(p('limit') as number)),
    ),

    listByUser: compileStatement((p: Parameter<'issuer' | 'user_id'>) =>
      present()
        .where('mintmark_memberships.issuer', '=', p('issuer'))
        .where('mintmark_memberships.user_id', '=', p('user_id'))
        .orderBy('mintmark_memberships.organization_id'),
    ),
  }
}

const key = (p: Parameter<Membership>) =>
  sql`issuer = ${p('issuer')} and organization_id = ${p('organization_id')} and user_id = ${p('user_id')}`

const hasOrganization = (p: Parameter<'issuer' | 'organization_id'>) =>
  sql`exists (select 1 from mintmark_organizations
    where issuer = ${p('issuer')} and organization_id = ${p('organization_id')} and removed_at is null)`

const hasUser = (p: Parameter<'issuer' | 'user_id'>) =>
  sql`exists (select 1 from mintmark_users where issuer = ${p('issuer')} and user_id = ${p('user_id')} and removed_at is null)`
