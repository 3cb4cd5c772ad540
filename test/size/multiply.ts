import type { Pool } from 'pg'

/** Copies of a row that the product has written. */
export interface Copies {
  readonly table: string
  /** The condition that selects the row to copy. */
  readonly where: string
  readonly rows: number
  /** The values that differ, by column: SQL expressions with the number `n` of the copy, from 1. */
  readonly change: Readonly<Record<string, string>>
}

/**
 * Inserts copies of an existing row with one statement. The indexes are built again afterwards, which takes a fraction of the
 * time of as many insertions in random order, and no triggers run: who calls this writes what they would have written.
 */
export async function multiply(pool: Pool, { table, where, rows, change }: Copies): Promise<void> {
  const { fields, rowCount } = await pool.query(`SELECT * FROM ${table} WHERE ${where} LIMIT 1`)
  if (rowCount !== 1) throw new Error(`There is no row in ${table} where ${where}.`)
  const names = fields.map(({ name }) => name)
  const values = names.map((name) => change[name] ?? `template.${name}`)
  await withoutIndexes(pool, table, [
    `INSERT INTO ${table} (${names.join(', ')}) SELECT ${values.join(', ')}
     FROM generate_series(1::bigint, ${rows}) AS n, (SELECT * FROM ${table} WHERE ${where} LIMIT 1) AS template`,
  ])
}

/** Runs statements that write many rows of a table, while it has no indexes and no triggers. */
export async function withoutIndexes(pool: Pool, table: string, statements: readonly string[]): Promise<void> {
  const { rows: indexes } = await pool.query<{ readonly drop: string; readonly create: string }>(
    `SELECT coalesce('ALTER TABLE ${table} DROP CONSTRAINT ' || conname, 'DROP INDEX ' || indexrelid::regclass) AS drop,
       coalesce('ALTER TABLE ${table} ADD CONSTRAINT ' || conname || ' ' || pg_get_constraintdef(pg_constraint.oid), pg_get_indexdef(indexrelid)) AS create
     FROM pg_index LEFT JOIN pg_constraint ON conindid = indexrelid WHERE indrelid = '${table}'::regclass`,
  )
  await pool.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`)
  for (const { drop } of indexes) await pool.query(drop)
  for (const statement of statements) await pool.query(statement)
  for (const { create } of indexes) await pool.query(create)
  await pool.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`)
}

/** An SQL expression for an identifier of 22 letters, which are spread evenly over an index. */
export const identifierOf = (kind: string, number: string): string => `left(md5('${kind} ' || ${number}), 22)`

/** An SQL expression for a digest: 43 letters. */
export const digestOf = (kind: string, number: string): string =>
  `md5('${kind} ' || ${number}) || '${'-'.repeat(43 - 32)}'`
