import type { RecordDefinition, RecordOf } from '@mintmark/storage-interface/records'
import { sql, type AliasedRawBuilder } from 'kysely'
import type { Database } from './database.ts'
import type { SqlRow, SqlValue } from './dialect.ts'
import { recordCodec, type RecordCodec } from './record-codec.ts'
import { compileSql, type Parameter } from './statement.ts'

/** A table of records: how statements write them, and how they select and read whole records. */
export interface RecordTable<Of extends RecordDefinition> extends RecordCodec<Of> {
  /** The select list, or the list of `RETURNING`, of a statement whose rows `read` and `take` take. */
  readonly whole: readonly AliasedRawBuilder<SqlValue, string>[]
  /** Reads a row of the table's own columns. */
  readonly readOwn: RecordCodec<Of>['read']
  /** The table's own columns in a row of a statement that selects `whole`. */
  readonly take: (row: SqlRow) => SqlRow
  /** Inserts a record. `false` when one of its unique keys is taken: nothing was written. */
  readonly insert: (record: RecordOf<Of>) => Promise<boolean>
}

/** @param alias the table's name in statements that join it. */
export function recordTable<Of extends RecordDefinition>(
  { query, engine, runInOrder }: Pick<Database, 'query' | 'engine' | 'runInOrder'>,
  definition: Of,
  alias?: string,
): RecordTable<Of> {
  const codec = recordCodec(definition, engine)
  const { table, columns, toValues } = codec
  const whole = {
    alias: alias ?? table,
    // Every row belongs to the issuer and was not removed.
    columns: columns.filter((column) => column !== 'issuer' && column !== 'removed_at'),
  }
  const take = engine.joined.take(whole)

  const insert = compileSql(query, (p: Parameter<string>) => {
    const names = sql.join(columns.map((column) => sql.ref(column)))
    const values = sql.join(columns.map((column) => p(column)))
    return sql`insert into ${sql.table(table)} (${names}) values (${values}) on conflict do nothing returning 1 as inserted`
  })

  return {
    ...codec,
    get whole() {
      return engine.joined.select(whole)
    },
    take,
    readOwn: codec.read,
    read: (row) => codec.read(take(row)),
    insert: async (record) => (await runInOrder(insert, toValues(record))).length > 0,
  }
}
