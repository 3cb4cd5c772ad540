import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { compileSql, createDatabase } from '../database.ts'
import { valueOf } from '../row.ts'
import { openSqliteDialect } from '../sqlite/dialect.ts'
import { unionOf } from './candidates.ts'

test.each([1, 100, 101, 250])('a union of %i queries has the rows of each', async (count) => {
  const dialect = openSqliteDialect(':memory:')
  onTestFinished(() => dialect.close())
  const { query, run } = createDatabase(dialect, 'https://issuer.example')
  const ids = Array.from({ length: count }, (_, index) => index)
  const union = compileSql(query, () => unionOf(ids.map((id) => sql`select ${sql.lit(id)} as id`)))

  const rows = await run(union, {})

  expect(rows.map((row) => valueOf(row, 'id'))).toEqual(ids)
})
