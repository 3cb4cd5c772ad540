import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { membershipColumns } from '../rows/membership-row.ts'
import { compileSql, compileStatement, parameters, type Parameter } from '../statement.ts'

type Membership = 'issuer' | 'organization_id' | 'user_id'

/**
 * Triggers end the memberships of an organization and of an account that is removed. Whoever joins in that moment leaves a row
 * behind that is none: it is read, changed and removed only where both are there.
 */
export function membershipStatements(query: Database['query']) {
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
