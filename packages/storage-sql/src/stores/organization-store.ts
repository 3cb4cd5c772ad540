import {
  compareText,
  type MembershipInsertOutcome,
  type OrganizationId,
  type OrganizationStore,
  untilSettled,
} from '@mintmark/storage-interface/stores'
import { memberships, organizations, type ColumnName } from '@mintmark/storage-interface/records'
import { sql } from 'kysely'
import { type Database, compileSql, compileStatement, parameters, type Parameter } from '../database.ts'
import { insertsRow, recordTable, type RecordTable } from '../record-table.ts'
import { createColumnReader } from '../row.ts'
import { createVersionedStore } from './versioned-store.ts'

export function createOrganizationStore(database: Database): OrganizationStore {
  const { run } = database
  const table = recordTable(database, memberships)
  const statements = membershipStatements(database, table)
  const versioned = createVersionedStore<typeof organizations, OrganizationId>(database, organizations)

  return {
    ...versioned,
    ...createMembershipWrites(database, { table, statements }),

    async remove(organizationId, now) {
      const removed = await versioned.remove(organizationId, now)
      // If a call is interrupted after the removal, the next call revokes the families.
      await run(statements.revokeAll, { organization_id: organizationId, now })
      return removed
    },

    async findMember(organizationId, userId) {
      const [row] = await run(statements.find, { organization_id: organizationId, user_id: userId })
      return row === undefined ? undefined : table.read(row)
    },

    async listMembers({ organizationId, after, limit }) {
      const rows = await run(statements.listByOrganization, {
        organization_id: organizationId,
        after: after ?? '',
        limit,
      })
      return rows.map(table.read)
    },

    async listByUser(userId) {
      const rows = await run(statements.listByUser, { user_id: userId })
      return rows.map(table.read)
    },
  }
}

/** Adds and removes members, and revokes what was issued to them for the organization. */
function createMembershipWrites(
  { engine, run, step, transact }: Database,
  {
    table,
    statements,
  }: {
    readonly table: RecordTable<typeof memberships>
    readonly statements: ReturnType<typeof membershipStatements>
  },
): Pick<OrganizationStore, 'insertMember' | 'compareAndSwapMember' | 'removeMember' | 'revokeTokens'> {
  const columns = createColumnReader(engine)

  /** Explains why no member was inserted. @returns `undefined` if the row that was read does not explain it. */
  async function explain(key: {
    organization_id: string
    user_id: string
  }): Promise<MembershipInsertOutcome | undefined> {
    const [row] = await run(statements.inspect, key)
    if (row === undefined || !columns.flag(row, 'has_organization'))
      return { outcome: 'absent', missing: 'organization' }
    if (!columns.flag(row, 'has_user')) return { outcome: 'absent', missing: 'user' }
    return columns.flag(row, 'has_membership') ? { outcome: 'taken' } : undefined
  }

  return {
    async insertMember(membership) {
      const values = table.toRow(membership)
      return untilSettled(async () => {
        const isInserted = await insertsRow(run(statements.insert, values))
        return isInserted
          ? { outcome: 'inserted' }
          : explain({ organization_id: membership.organizationId, user_id: membership.userId })
      })
    },

    async compareAndSwapMember(membership, version) {
      const key = { organization_id: membership.organizationId, user_id: membership.userId }
      return untilSettled(async () => {
        const [swapped] = await run(statements.swap, { ...table.toRow(membership), version })
        if (swapped !== undefined) return { outcome: 'swapped', record: table.read(swapped) }

        const [current] = await run(statements.find, key)
        if (current === undefined) return { outcome: 'absent' }
        return table.read(current).version === version ? undefined : { outcome: 'conflict' }
      })
    },

    async removeMember(organizationId, userId, now) {
      const member = { organization_id: organizationId, user_id: userId }
      const families = { ...member, now }
      const removed = await transact([step(statements.remove, member, 'guard'), step(statements.revoke, families)])
      // The transaction did not revoke a family that was inserted while it ran.
      await run(statements.revoke, families)
      return { outcome: removed === undefined ? 'absent' : 'removed' }
    },

    async revokeTokens({ organizationId, userIds, now }) {
      // In the order of the keys, so that two calls do not wait for each other.
      const inOrder = [...new Set(userIds)].toSorted(compareText)
      if (inOrder.length === 0) return
      await transact(
        inOrder.map((userId) => step(statements.revoke, { organization_id: organizationId, user_id: userId, now })),
      )
    },
  }
}

type Membership = 'issuer' | 'organization_id' | 'user_id'

/**
 * Triggers remove the memberships of a removed organization or user. A member that is added at the same moment leaves a
 * row without effect: a row is read, changed and removed only if both the organization and the user exist.
 */
function membershipStatements(database: Pick<Database, 'query' | 'engine'>, table: RecordTable<typeof memberships>) {
  const { query, engine } = database
  return {
    ...membershipReads(database, table),

    insert: compileSql(query, (p: Parameter<ColumnName<typeof memberships>>) => {
      const columns = sql.join(table.columns.map((column) => sql.ref(column)))
      const values = sql.join(table.columns.map((column) => sql`${p(column)}`))
      return engine.insertIfAbsent(
        sql`insert into mintmark_memberships (${columns}) select ${values} where ${hasOrganization(p)} and ${hasUser(p)}`,
      )
    }),

    /** Reads whether the membership, and what it requires, exist, in one statement. */
    inspect: compileSql(
      query,
      (p: Parameter<Membership>) =>
        sql`select ${hasOrganization(p)} as has_organization, ${hasUser(p)} as has_user,
        exists (select 1 from mintmark_memberships where ${key(p)}) as has_membership`,
    ),

    swap: compileStatement((p: Parameter<ColumnName<typeof memberships>>) =>
      query
        .updateTable('mintmark_memberships')
        .set(parameters(p, ['roles', 'created_at', 'updated_at']))
        .set((set) => ({ version: set('version', '+', 1) }))
        .where(sql<boolean>`${key(p)} and ${hasOrganization(p)} and ${hasUser(p)}`)
        .where('version', '=', p('version'))
        .returning(table.selection),
    ),

    remove: compileStatement((p: Parameter<Membership>) =>
      query
        .deleteFrom('mintmark_memberships')
        .where(sql<boolean>`${key(p)} and ${hasOrganization(p)} and ${hasUser(p)}`)
        .returning('version'),
    ),

    revoke: compileSql(
      query,
      (p: Parameter<Membership | 'now'>) =>
        sql`update mintmark_families set revoked_at = ${p('now')} where ${key(p)} and revoked_at is null`,
    ),

    revokeAll: compileSql(
      query,
      (p: Parameter<'issuer' | 'organization_id' | 'now'>) =>
        sql`update mintmark_families set revoked_at = ${p('now')}
        where issuer = ${p('issuer')} and organization_id = ${p('organization_id')} and revoked_at is null`,
    ),
  }
}

function membershipReads({ query }: Pick<Database, 'query'>, table: RecordTable<typeof memberships>) {
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
      .select(table.selection)

  return {
    find: compileStatement((p: Parameter<Membership>) =>
      present()
        .where('mintmark_memberships.issuer', '=', p('issuer'))
        .where('mintmark_memberships.organization_id', '=', p('organization_id'))
        .where('mintmark_memberships.user_id', '=', p('user_id')),
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
