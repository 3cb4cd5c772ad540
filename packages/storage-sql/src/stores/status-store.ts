import type { FamilyStatus, StatusStore } from '@mintmark/storage-interface/stores'
import {
  boundSessions,
  families,
  grants,
  sessions,
  statusClients,
  users,
  type RecordDefinition,
  type RecordOf,
} from '@mintmark/storage-interface/records'
import { type Database, compileLookup, type Parameter } from '../database.ts'
import type { SqlRow } from '../dialect.ts'
import { recordTable, type RecordTable } from '../record-table.ts'
import { findRevokedToken, revokedToken } from './revocation-store.ts'
import { usedValueDigest } from './replay-store.ts'
import { createColumnReader, readIfChanged } from '../row.ts'

/** Reads related records with one statement, so that they are consistent. */
export function createStatusStore(database: Database): StatusStore {
  const { run } = database
  const tables = {
    family: recordTable(database, families, 'family'),
    grant: recordTable(database, grants, 'grant'),
    client: recordTable(database, statusClients, 'client'),
    user: recordTable(database, users, 'user'),
    session: recordTable(database, sessions, 'session'),
    bound: recordTable(database, boundSessions, 'bound'),
  }
  const { client, user, session } = outerReaders(database, tables)
  const statements = grantAndSessionStatements(database, tables)

  return {
    ...createFamilyStatuses(database, tables),

    async ofGrant(grantId, boundTo) {
      const [row] = await run(statements.ofGrant, { grant_id: grantId, bound_to: boundTo ?? null })
      return row && { grant: tables.grant.read(row), client: client(row), user: user(row), session: session(row) }
    },

    async ofSession(digest) {
      const [row] = await run(statements.ofSession, { digest })
      return row === undefined ? undefined : { session: tables.session.read(row), user: user(row) }
    },
  }
}

function createFamilyStatuses(
  database: Database,
  tables: StatusTables,
): Pick<StatusStore, 'ofFamily' | 'ofAccessToken' | 'ofFamilies' | 'ofRefreshHandle'> {
  const { run } = database
  const { grant, client, user, session } = outerReaders(database, tables)
  const statements = familyStatements(database, tables)

  const familyStatus = (row: SqlRow | undefined): FamilyStatus | undefined =>
    row && {
      family: tables.family.read(row),
      grant: grant(row),
      client: client(row),
      user: user(row),
      session: session(row),
    }

  return {
    async ofFamily(familyId) {
      const [row] = await run(statements.ofFamily, { family_id: familyId })
      return familyStatus(row)
    },

    async ofAccessToken({ familyId, tokenId, now }) {
      const value_digest = usedValueDigest(tokenId)
      const [row] = await run(statements.ofAccessToken, {
        family_id: familyId,
        purpose: revokedToken,
        value_digest,
        now,
      })
      return familyStatus(row)
    },

    async ofFamilies([first, second, third, fourth]) {
      if (first === undefined) return []
      const rows = await run(statements.ofFamilies, {
        family_id: first,
        second_id: second ?? first,
        third_id: third ?? first,
        fourth_id: fourth ?? first,
      })
      return rows.flatMap((row) => familyStatus(row) ?? [])
    },

    async ofRefreshHandle(handleDigest) {
      const [row] = await run(statements.ofRefreshHandle, { handle_digest: handleDigest })
      return familyStatus(row)
    },
  }
}

/** Returns readers of the records of outer joins. */
function outerReaders({ engine }: Pick<Database, 'engine'>, tables: StatusTables) {
  const columns = createColumnReader(engine)

  /** If nothing was joined, the key is NULL. */
  const optional =
    <Of extends RecordDefinition>(
      { take, readTableRow }: RecordTable<Of>,
      key: string,
      read: (key: string, own: SqlRow) => RecordOf<Of> = (_, own) => readTableRow(own),
    ) =>
    (row: SqlRow): RecordOf<Of> | undefined => {
      const own = take(row)
      const id = columns.optionalText(own, key)
      return id === undefined ? undefined : read(id, own)
    }
  return {
    client: optional(tables.client, 'client_id', readIfChanged(tables.client.readTableRow)),
    user: optional(tables.user, 'user_id'),
    grant: optional(tables.grant, 'grant_id'),
    session: optional(tables.bound, 'session_id'),
  }
}

function familyStatements({ query }: Pick<Database, 'query'>, tables: StatusTables) {
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
      .leftJoin('mintmark_sessions as bound', (join) =>
        join.onRef('bound.issuer', '=', 'family.issuer').onRef('bound.session_id', '=', 'family.bound_session_id'),
      )
      .select(tables.family.selection)
      .select(tables.grant.selection)
      .select(tables.client.selection)
      .select(tables.user.selection)
      .select(tables.bound.selection)

  return {
    ofFamily: compileLookup((p: Parameter<'issuer' | 'family_id'>) =>
      ofFamily().where('family.issuer', '=', p('issuer')).where('family.family_id', '=', p('family_id')),
    ),

    ofAccessToken: compileLookup((p: Parameter<'issuer' | 'family_id' | 'purpose' | 'value_digest' | 'now'>) =>
      ofFamily()
        .where('family.issuer', '=', p('issuer'))
        .where('family.family_id', '=', p('family_id'))
        .where((where) => where.not(where.exists(findRevokedToken(query, p)))),
    ),

    ofFamilies: compileLookup((p: Parameter<'issuer' | 'family_id' | 'second_id' | 'third_id' | 'fourth_id'>) =>
      ofFamily()
        .where('family.issuer', '=', p('issuer'))
        .where('family.family_id', 'in', [p('family_id'), p('second_id'), p('third_id'), p('fourth_id')]),
    ),

    ofRefreshHandle: compileLookup((p: Parameter<'issuer' | 'handle_digest'>) =>
      ofFamily().where('family.issuer', '=', p('issuer')).where('family.handle_digest', '=', p('handle_digest')),
    ),
  }
}

function grantAndSessionStatements({ query }: Pick<Database, 'query'>, tables: StatusTables) {
  return {
    ofGrant: compileLookup((p: Parameter<'issuer' | 'grant_id' | 'bound_to'>) =>
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
        .leftJoin('mintmark_sessions as bound', (join) =>
          join.onRef('bound.issuer', '=', 'grant.issuer').on('bound.session_id', '=', p('bound_to')),
        )
        .select(tables.grant.selection)
        .select(tables.client.selection)
        .select(tables.user.selection)
        .select(tables.bound.selection)
        .where('grant.issuer', '=', p('issuer'))
        .where('grant.grant_id', '=', p('grant_id')),
    ),

    ofSession: compileLookup((p: Parameter<'issuer' | 'digest'>) =>
      query
        .selectFrom('mintmark_sessions as session')
        .leftJoin('mintmark_users as user', (join) =>
          join
            .onRef('user.issuer', '=', 'session.issuer')
            .onRef('user.user_id', '=', 'session.user_id')
            .on('user.removed_at', 'is', null),
        )
        .select(tables.session.selection)
        .select(tables.user.selection)
        .where('session.issuer', '=', p('issuer'))
        .where('session.digest', '=', p('digest')),
    ),
  }
}

interface StatusTables {
  readonly family: RecordTable<typeof families>
  readonly grant: RecordTable<typeof grants>
  readonly client: RecordTable<typeof statusClients>
  readonly user: RecordTable<typeof users>
  readonly session: RecordTable<typeof sessions>
  readonly bound: RecordTable<typeof boundSessions>
}
