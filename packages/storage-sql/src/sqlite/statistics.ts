import type { SqlExpectedRows } from '../dialect.ts'

/**
 * Returns statements that write the statistics of tables with many rows. Without any, SQLite assumes that an issuer has ten
 * rows, and then prefers the beginning of the primary key to an index that finds the rows, but needs a second look-up. The
 * statistics are estimates, and stay as they are while the file grows; `ANALYZE` replaces them by counted ones.
 */
export const showRows = ({ tables, alike, absent }: SqlExpectedRows): readonly string[] => [
  // Creates the table of the statistics.
  'ANALYZE mintmark_migrations',
  `DELETE FROM sqlite_stat1 WHERE tbl IN (${listed(tables)})`,
  `INSERT INTO sqlite_stat1 (tbl, idx, stat)
  SELECT shown.name,
    CASE WHEN stored.name IS NULL THEN shown.name ELSE stored.name END,
    ${rowsOfIndex(absent)} || (
      SELECT group_concat(' ' || ${rowsOfPrefix(alike, absent)}, '')
      FROM (SELECT seqno FROM pragma_index_info(indexed.name) ORDER BY seqno) AS part)
  FROM sqlite_schema AS shown, pragma_index_list(shown.name) AS indexed
  -- The key of a table WITHOUT ROWID is the table itself.
  LEFT JOIN sqlite_schema AS stored ON stored.type = 'index' AND stored.name = indexed.name
  WHERE shown.type = 'table' AND shown.name IN (${listed(tables)})`,
  // The connection that migrates reads them now, and every other one when it sees the new schema.
  'ANALYZE sqlite_schema',
]

/** Few rows are in an index of rows that lack a column which most rows have. */
const rowsOfIndex = (absent: readonly string[]): string =>
  `CASE WHEN stored.sql GLOB '* WHERE * IS NULL' ${absent
    .map((column) => `AND stored.sql NOT GLOB '* WHERE ${column} IS NULL'`)
    .join(' ')} THEN ${few} ELSE ${many} END`

/** The rows that agree in the columns of an index up to `part`. */
const rowsOfPrefix = (alike: readonly string[], absent: readonly string[]): string => `CASE
        WHEN indexed."unique" AND part.seqno + 1 = (SELECT count(*) FROM pragma_index_info(indexed.name)) THEN 1
        WHEN EXISTS (SELECT 1 FROM pragma_index_info(indexed.name) AS earlier
          WHERE earlier.seqno <= part.seqno AND earlier.name NOT IN (${listed(alike)})) THEN ${few}
        ELSE ${rowsOfIndex(absent)} END`

const many = 1_000_000

const few = 10

/** The names are constants of this package: they need no quoting. */
const listed = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ')
