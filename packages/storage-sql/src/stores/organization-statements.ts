import type { Database } from '../database.ts'
import { organizationColumns } from '../rows/organization-row.ts'
import { compileStatement, parameters, type Parameter } from '../statement.ts'

export function organizationStatements(query: Database['query']) {
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
