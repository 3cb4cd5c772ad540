import type { FamilyStanding, StandingStore } from '@mintmark/storage-interface'
import { createColumnReader, type ColumnReader } from '../columns.ts'
import type { Database } from '../database.ts'
import type { SqlRow } from '../dialect.ts'
import { clientColumns, clientReader } from '../rows/client-row.ts'
import { familyColumns, familyReader } from '../rows/family-row.ts'
import { grantColumns, grantReader } from '../rows/grant-row.ts'
import { sessionColumns, sessionReader } from '../rows/session-row.ts'
import { userColumns, userReader } from '../rows/user-row.ts'
import { compileStatement, type Parameter } from '../statement.ts'

/** Rows that belong together, read by one statement: no answer mixes before and after. */
export function createStandingStore({ query, engine, run }: Database): StandingStore {
  const statements = standingStatements(query)
  const client = joined(createColumnReader(engine, 'client_'), 'client_id', clientReader)
  const user = joined(createColumnReader(engine, 'user_'), 'user_id', userReader)
  const grant = joined(createColumnReader(engine, 'grant_'), 'grant_id', grantReader)
  const ownGrant = grantReader(createColumnReader(engine, 'grant_'))
  const family = familyReader(createColumnReader(engine, 'family_'))
  const session = sessionReader(createColumnReader(engine, 'session_'))

  const familyStanding = (row: SqlRow | undefined): FamilyStanding | undefined =>
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

/** Reads a row of an outer join: where nothing was joined the key is empty. */
function joined<R>(columns: ColumnReader, key: string, reader: (columns: ColumnReader) => (row: SqlRow) => R) {
  const read = reader(columns)
  return (row: SqlRow): R | undefined => (columns.has(row, key) ? read(row) : undefined)
}

function standingStatements(query: Database['query']) {
  const ofFamily = query
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
    .select(every('family', familyColumns))
    .select(every('grant', grantColumns))
    .select(every('client', clientColumns))
    .select(every('user', userColumns))

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
        .select(every('grant', grantColumns))
        .select(every('client', clientColumns))
        .select(every('user', userColumns))
        .where('grant.issuer', '=', p('issuer'))
        .where('grant.grant_id', '=', p('grant_id')),
    ),

    ofFamily: compileStatement((p: Parameter<'issuer' | 'family_id'>) =>
      ofFamily.where('family.issuer', '=', p('issuer')).where('family.family_id', '=', p('family_id')),
    ),

    ofRefreshHandle: compileStatement((p: Parameter<'issuer' | 'handle_digest'>) =>
      ofFamily.where('family.issuer', '=', p('issuer')).where('family.handle_digest', '=', p('handle_digest')),
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
        .select(every('session', sessionColumns))
        .select(every('user', userColumns))
        .where('session.issuer', '=', p('issuer'))
        .where('session.digest', '=', p('digest')),
    ),
  }
}

/** All columns of a joined table but the issuer, each with the table's alias before its name. */
function every<Alias extends string, Column extends string>(alias: Alias, columns: readonly Column[]) {
  const own = columns.filter((column): column is Exclude<Column, 'issuer'> => column !== 'issuer')
  return own.map((column) => `${alias}.${column} as ${alias}_${column}` as const)
}
