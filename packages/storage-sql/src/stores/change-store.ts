import { changes } from '@mintmark/storage-interface/records'
import type { ChangeStore } from '@mintmark/storage-interface/stores'
import { sql } from 'kysely'
import { compileSql, compileStatement, type Database, type Parameter } from '../database.ts'
import { recordTable, type RecordTable } from '../record-table.ts'
import { createColumnReader } from '../row.ts'

/**
 * Triggers write the changes. When changes are listed, this store assigns their positions in the order of the column
 * `sequence`.
 */
export function createChangeStore(database: Database): ChangeStore {
  const { engine, run, step, transact } = database
  const table = recordTable(database, changes)
  const columns = createColumnReader(engine)
  const statements = changeStatements(database, table)

  /** `sequence` follows the order in which one user was changed, because each change locks the user's row. */
  async function assignPositions(): Promise<void> {
    const [fresh] = await run(statements.findNew, {})
    if (fresh === undefined) return
    await transact([step(statements.lock, {}), step(statements.assign, {}), step(statements.advance, {})])
  }

  return {
    async list({ after, limit }) {
      await assignPositions()
      return (await run(statements.list, { after, limit })).map(table.read)
    },

    async lastPosition() {
      await assignPositions()
      const [row] = await run(statements.lastPosition, {})
      return row === undefined ? 0 : columns.integer(row, 'last_position')
    },
  }
}

function changeStatements({ query, engine }: Pick<Database, 'query' | 'engine'>, table: RecordTable<typeof changes>) {
  return {
    findNew: compileSql(
      query,
      (p: Parameter<'issuer'>) =>
        sql`select 1 as found from mintmark_changes where issuer = ${p('issuer')} and position is null limit 1`,
    ),
    lock: compileSql(query, (p: Parameter<'issuer'>) =>
      engine.upsert({
        table: 'mintmark_change_positions',
        columns: ['issuer', 'last_position'],
        values: sql`${p('issuer')}, 0`,
        key: ['issuer'],
        set: { last_position: sql.ref('mintmark_change_positions.last_position') },
      }),
    ),
    assign: compileSql(query, (p: Parameter<'issuer'>) =>
      engine.changeFrom({
        table: 'mintmark_changes',
        set: sql`position = numbered.place`,
        from: sql`(
  select fresh.change_id, positions.last_position + row_number() over (order by fresh.sequence) as place
  from (select issuer, change_id, sequence from mintmark_changes where issuer = ${p('issuer')} and position is null
    order by sequence limit ${sql.lit(batchSize)}) as fresh
  join mintmark_change_positions as positions on positions.issuer = fresh.issuer
) as numbered`,
        where: sql`mintmark_changes.issuer = ${p('issuer')} and mintmark_changes.change_id = numbered.change_id`,
      }),
    ),
    advance: compileSql(
      query,
      (p: Parameter<'issuer'>) =>
        sql`update mintmark_change_positions set last_position = coalesce(
  (select position from mintmark_changes where issuer = ${p('issuer')} and position > last_position order by position desc limit 1), last_position)
where issuer = ${p('issuer')}`,
    ),
    list: compileStatement((p: Parameter<'issuer' | 'after' | 'limit'>) =>
      query
        .selectFrom('mintmark_changes')
        .select(table.selection)
        .where('issuer', '=', p('issuer'))
        .where('position', '>', p('after'))
        .orderBy('position')
        .limit((limit) => limit.val(p('limit') as number)),
    ),
    lastPosition: compileStatement((p: Parameter<'issuer'>) =>
      query.selectFrom('mintmark_change_positions').select('last_position').where('issuer', '=', p('issuer')),
    ),
  }
}

/** How many changes get a position in one transaction. */
const batchSize = 1000
