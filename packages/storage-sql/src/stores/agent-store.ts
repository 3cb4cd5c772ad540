import type { AgentStore } from '@mintmark/storage-interface/stores'
import { clients } from '@mintmark/storage-interface/records'
import { sql } from 'kysely'
import { compileSql, type Database, type Parameter } from '../database.ts'
import { recordTable } from '../record-table.ts'

/** Lists the clients that are agents. Triggers end them with their owner and their identity provider. */
export function createAgentStore(database: Database): AgentStore {
  const { selection, read, table } = recordTable(database, clients)
  const rows = sql.join(selection.map((column) => sql`${column}`))
  const listBy = (column: 'agent_provider_id' | 'agent_owner_user_id') =>
    compileSql(
      database.query,
      (p: Parameter<string>) => sql`select ${rows} from ${sql.table(table)}
        where issuer = ${p('issuer')} and ${sql.ref(column)} = ${p('of')} and client_id > ${p('after')}
        and removed_at is null order by client_id limit ${p('limit')}`,
    )
  const listOfProvider = listBy('agent_provider_id')
  const listOfOwner = listBy('agent_owner_user_id')

  return {
    async list({ of, after, limit }) {
      const [statement, id] = 'providerId' in of ? [listOfProvider, of.providerId] : [listOfOwner, of.ownerUserId]
      // No identifier is empty, so every identifier sorts after the empty string.
      return (await database.run(statement, { of: id, after: after ?? '', limit })).map(read)
    },
  }
}
