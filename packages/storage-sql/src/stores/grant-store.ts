import { untilSettled, type GrantStore } from '@mintmark/storage-interface/stores'
import { grants } from '@mintmark/storage-interface/records'
import { type Database, compileLookup, compileStatement, type Parameter } from '../database.ts'
import { recordTable, type RecordTable } from '../record-table.ts'

export function createGrantStore(database: Database): GrantStore {
  const { run } = database
  const table = recordTable(database, grants)
  const statements = grantStatements(database, table)

  return {
    async insert(grant) {
      const pair = { user_id: grant.userId, client_id: grant.clientId }
      return untilSettled(async () => {
        if (await table.insert(grant)) return { outcome: 'inserted' }

        const [existing] = await run(statements.findUnrevoked, pair)
        return existing === undefined ? undefined : { outcome: 'taken', record: table.read(existing) }
      })
    },

    async findUnrevoked(userId, clientId) {
      const [row] = await run(statements.findUnrevoked, { user_id: userId, client_id: clientId })
      return row === undefined ? undefined : table.read(row)
    },

    async replaceConsent({ grantId, scopes, resources, authorizationDetails, clientDigest, version }) {
      return untilSettled(async () => {
        const [swapped] = await run(statements.replaceConsent, {
          grant_id: grantId,
          scopes: JSON.stringify(scopes),
          resources: JSON.stringify(resources),
          authorization_details: JSON.stringify(authorizationDetails),
          client_digest: clientDigest ?? null,
          version,
        })
        if (swapped !== undefined) return { outcome: 'swapped', record: table.read(swapped) }

        const [found] = await run(statements.find, { grant_id: grantId })
        const current = found && table.read(found)
        if (current === undefined || current.revokedAt !== undefined) return { outcome: 'absent' }
        return current.version === version ? undefined : { outcome: 'conflict' }
      })
    },

    async revoke(grantId, now) {
      return untilSettled(async () => {
        const [revoked] = await run(statements.revoke, { grant_id: grantId, now })
        if (revoked !== undefined) return { outcome: 'revoked' }

        const [current] = await run(statements.find, { grant_id: grantId })
        if (current === undefined) return { outcome: 'absent' }
        return table.read(current).revokedAt === undefined ? undefined : { outcome: 'unchanged' }
      })
    },

    async listByUser(userId) {
      const rows = await run(statements.listByUser, { user_id: userId })
      return rows.map(table.read)
    },
  }
}

function grantStatements({ query }: Pick<Database, 'query'>, table: RecordTable<typeof grants>) {
  const unrevoked = (p: Parameter<'issuer' | 'grant_id'>) =>
    query
      .updateTable('mintmark_grants')
      .where('issuer', '=', p('issuer'))
      .where('grant_id', '=', p('grant_id'))
      .where('revoked_at', 'is', null)
      .returning(table.selection)

  return {
    find: compileLookup((p: Parameter<'issuer' | 'grant_id'>) =>
      query
        .selectFrom('mintmark_grants')
        .select(table.selection)
        .where('issuer', '=', p('issuer'))
        .where('grant_id', '=', p('grant_id')),
    ),

    findUnrevoked: compileLookup((p: Parameter<'issuer' | 'user_id' | 'client_id'>) =>
      query
        .selectFrom('mintmark_grants')
        .select(table.selection)
        .where('issuer', '=', p('issuer'))
        .where('user_id', '=', p('user_id'))
        .where('client_id', '=', p('client_id'))
        .where('revoked_at', 'is', null),
    ),

    replaceConsent: compileStatement(
      (
        p: Parameter<
          'issuer' | 'grant_id' | 'scopes' | 'resources' | 'authorization_details' | 'client_digest' | 'version'
        >,
      ) =>
        unrevoked(p)
          .set((set) => ({
            scopes: p('scopes'),
            resources: p('resources'),
            authorization_details: p('authorization_details'),
            client_digest: p('client_digest'),
            version: set('version', '+', 1),
          }))
          .where('version', '=', p('version')),
    ),

    revoke: compileStatement((p: Parameter<'issuer' | 'grant_id' | 'now'>) =>
      unrevoked(p).set({ revoked_at: p('now') }),
    ),

    listByUser: compileStatement((p: Parameter<'issuer' | 'user_id'>) =>
      query
        .selectFrom('mintmark_grants')
        .select(table.selection)
        .where('issuer', '=', p('issuer'))
        .where('user_id', '=', p('user_id'))
        .where('revoked_at', 'is', null)
        .orderBy('created_at', 'desc'),
    ),
  }
}
