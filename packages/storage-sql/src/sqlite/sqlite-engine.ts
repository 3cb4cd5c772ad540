import { SqliteAdapter, SqliteQueryCompiler, sql } from 'kysely'
import type { SqlEngine } from '../dialect.ts'

/** What is particular to SQLite (3.38 or later). */
export const sqlite: SqlEngine = {
  name: 'sqlite',
  kysely: {
    createAdapter: () => new SqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
  types: {
    text: 'TEXT',
    integer: 'INTEGER',
    flag: 'INTEGER',
    json: 'TEXT',
    // STRICT: a column holds its type and nothing else.
    table: 'STRICT',
    // The row lies in the key's own tree: one look-up instead of two, one page written instead of two.
    smallRowTable: 'STRICT, WITHOUT ROWID',
  },
  findTable: `SELECT name FROM sqlite_schema WHERE type = 'table' AND name = ?`,
  encodeFlag: (value) => (value ? 1 : 0),
  decodeFlag: (value) => value === 1,
  mergeJson: (target, patch) => sql`json_patch(${target}, ${patch})`,
  deleteBatch: ({ table, key, condition, order, limit }) => {
    const columns = sql.join(key.map((column) => sql.ref(column)))
    return sql`delete from ${sql.table(table)} where (${columns}) in (select ${columns} from ${sql.table(table)} where ${condition} order by ${order} limit ${limit}) returning 1 as removed`
  },
}
