import type { FamilyStatus, StatusStore } from '@mintmark/storage-interface'
import { createColumnReader, joinedTable } from '../row.ts'
import type { Database } from '../database.ts'
import type { SqlJoinedTable, SqlRow } from '../dialect.ts'
import { clientColumns, clientReader } from '../rows/client-row.ts'
import { familyColumns, familyReader } from '../rows/family-row.ts'
import { grantColumns, grantReader } from '../rows/grant-row.ts'
import { sessionColumns, sessionReader } from '../rows/session-row.ts'
import { userColumns, userReader } from '../rows/user-row.ts'
import { compileStatement, type Parameter } from '../statement.ts'

/** Rows that belong together, read by one statement: no answer mixes before and after. */
export function createStatusStore({ query, engine, run }: Database): StatusStore {
  const statements = statusStatements({ query, engine })
  const columns = createColumnReader(engine)

  function joined<R>(table: SqlJoinedTable, read: (row: SqlRow) => R): (row: SqlRow) => R {
    const take = engine.joined.take(table)
    return (row) => read(take(row))
  }
  /** Of an outer join: where nothing was joined the key is empty. */
  const optional =
    <R>(key: string, read: (row: SqlRow) => R) =>
    (row: SqlRow): R | undefined =>
      columns.has(row, key) ? read(row) : undefined

  const client = joined(tables.client, optional('client_id', clientReader(columns)))
  const user = joined(tables.user, optional('user_id', userReader(columns)))
  const grant = joined(tables.grant, optional('grant_id', grantReader(columns)))
  const ownGrant = joined(tables.grant, grantReader(columns))
  const family = joined(tables.family, familyReader(columns))
  const session = joined(tables.session, sessionReader(columns))

  const familyStanding = (row: SqlRow | undefined): FamilyStatus | undefined =>
    row === undefined ? undefined : { family: family(row), grant: grant(row), client: client(row), user: user(row) }

  return {
    async ofGrant(grantId) {
      const [row] = await run(statements.ofGrant, { grant_id: grantId })
      return row === undefined ? undefined : { grant: ownGrant(row), client: client(row), user: user(row) }
    },

    async ofFamily(familyId) {
      const [row] = await run(statements.ofFamily, { family_id: familyId })
      return familyStanding(row)
    },

    async ofRefreshHandle(handleDigest) {
      const [row] = await run(statements.ofRefreshHandle, { handle_digest: handleDigest })
      return familyStanding(row)
    },

    async ofSession(digest) {
      const [row] = await run(statements.ofSession, { digest })
      return row === undefined ? undefined : { session: session(row), user: user(row) }
    },
  }
}

function statusStatements({ query, engine: { joined } }: Pick<Database, 'query' | 'engine'>) {
  const ofFamily = () =>
    query
      .selectFrom('mintmark_families as family')
      .leftJoin('mintmark_grants as grant', (join) =>
        join.onRef('grant.issuer', '=', 'family.issuer').onRef('grant.grant_id', '=', 'family.grant_id'),
      )
      .leftJoin('mintmark_clients as client', (join) =>
        join
          .onRef('client.issuer', '=', 'family.issuer')
          .onRef('client.client_id', '=', 'family.client_id')
          .on('client.removed_at', 'is', null),
      )
      .leftJoin('mintmark_users as user', (join) =>
        join
          .onRef('user.issuer', '=', 'family.issuer')
          .onRef('user.user_id', '=', 'family.user_id')
          .on('user.removed_at', 'is', null),
      )
      .select(joined.select(tables.family))
      .select(joined.select(tables.grant))
      .select(joined.select(tables.client))
      .select(joined.select(tables.user))

  return {
    ofGrant: compileStatement((p: Parameter<'issuer' | 'grant_id'>) =>
      query
        .selectFrom('mintmark_grants as grant')
        .leftJoin('mintmark_clients as client', (join) =>
          join
            .onRef('client.issuer', '=', 'grant.issuer')
            .onRef('client.client_id', '=', 'grant.client_id')
            .on('client.removed_at', 'is', null),
        )
        .leftJoin('mintmark_users as user', (join) =>
          join
            .onRef('user.issuer', '=', 'grant.issuer')
            .onRef('user.user_id', '=', 'grant.user_id')
            .on('user.removed_at', 'is', null),
        )
        .select(joined.select(tables.grant))
        .select(joined.select(tables.client))
        .select(joined.select(tables.user))
        .where('grant.issuer', '=', p('issuer'))
        .where('grant.grant_id', '=', p('grant_id')),
    ),

    ofFamily: compileStatement((p: Parameter<'issuer' | 'family_id'>) =>
      ofFamily().where('family.issuer', '=', p('issuer')).where('family.family_id', '=', p('family_id')),
    ),

    ofRefreshHandle: compileStatement((p: Parameter<'issuer' | 'handle_digest'>) =>
      ofFamily().where('family.issuer', '=', p('issuer')).where('family.handle_digest', '=', p('handle_digest')),
    ),

    ofSession: compileStatement((p: Parameter<'issuer' | 'digest'>) =>
      query
        .selectFrom('mintmark_sessions as session')
        .leftJoin('mintmark_users as user', (join) =>
          join
            .onRef('user.issuer', '=', 'session.issuer')
            .onRef('user.user_id', '=', 'session.user_id')
            .on('user.removed_at', 'is', null),
        )
        .select(joined.select(tables.session))
        .select(joined.select(tables.user))
        .where('session.issuer', '=', p('issuer'))
        .where('session.digest', '=', p('digest')),
    ),
  }
}

const tables = {
  family: joinedTable('family', familyColumns),
  grant: joinedTable('grant', grantColumns),
  client: joinedTable('client', clientColumns),
  user: joinedTable('user', userColumns),
  session: joinedTable('session', sessionColumns),
}
