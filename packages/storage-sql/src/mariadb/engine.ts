import type { JsonValue } from '@mintmark/storage-interface'
import { type Expression, MysqlAdapter, type RawBuilder, sql } from 'kysely'
import type { SqlEngine, SqlPairs, SqlPartialIndex, SqlTrigger, SqlValue } from '../dialect.ts'
import { indexedValues } from './indexed-values.ts'
import { endOfFound, insertOfFound, MariadbQueryCompiler } from './query-compiler.ts'
import { mariadbSearch } from './search.ts'
import { settings } from './session.ts'

/** Compared byte by byte, with trailing spaces. */
const text = 'LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin'

/** MariaDB 10.11 or later. */
export const mariadb: SqlEngine = {
  name: 'mariadb',
  undoesSchemaChanges: false,
  kysely: {
    createAdapter: () => new MysqlAdapter(),
    createQueryCompiler: () => new MariadbQueryCompiler(),
  },
  types: {
    text,
    // A key has at most 3072 bytes. Binary strings have no collation.
    key: 'VARBINARY(255)',
    longKey: 'VARBINARY(800)',
    integer: 'BIGINT',
    flag: 'BOOLEAN',
    json: text,
    searchable: text,
    now: 'UNIX_TIMESTAMP(SYSDATE())',
    table: 'ENGINE = InnoDB',
    smallRowTable: 'ENGINE = InnoDB',
    partialIndex,
    expressionIndex: ({ name, table, columns, expression }) =>
      `ALTER TABLE ${table} ADD COLUMN ${name}_value BIGINT AS (${expression}) VIRTUAL INVISIBLE,
  ADD INDEX ${name} (${columns.join(', ')}, ${name}_value)`,
    runsTriggersInTurn: true,
    trigger: ({ lockFirst, statements, ...trigger }) =>
      createTrigger(trigger, [...(lockFirst === undefined ? [] : [lockFound(lockFirst)]), ...statements]),
    differ: (one, other) => `NOT (${one} <=> ${other})`,
    orNothing: 'ON DUPLICATE KEY UPDATE issuer = VALUES(issuer)',
    // Begins with the rows that are found: MariaDB 10.11 reads all rows of the issuer for a condition with IN in an update.
    changeFound: ({ table, set, issuer, column, query }) =>
      `UPDATE (${query}) AS found STRAIGHT_JOIN ${table} ON ${table}.${column} = found.${column} SET ${set} WHERE ${table}.issuer = ${issuer}`,
    count: ({ table, values, counter }) =>
      `INSERT INTO ${table} (${Object.keys(values).join(', ')}) VALUES (${Object.values(values).join(', ')})
    ON DUPLICATE KEY UPDATE ${counter} = ${counter} + 1`,
    no: 'false',
    yes: 'true',
    lockTable: () => [],
    pathOf: (names) => `$${names.map((name) => `."${name}"`).join('')}`,
    indexedValues,
    removeRows: ({ table, row, same, columns, query }) =>
      `DELETE ${table} FROM (${query}) AS removed STRAIGHT_JOIN ${table} ON ${[
        ...same.map((column) => `${table}.${column} = ${row}.${column}`),
        ...columns.map((column) => `${table}.${column} = removed.${column}`),
      ].join(' AND ')}`,
    randomText: 'UUID()',
    changeNumbers: {
      // The nodes of Galera, which refuses other sequences, give different numbers. On one server each number is followed by the next.
      create: ['CREATE SEQUENCE mintmark_change_numbers INCREMENT BY 0'],
      next: 'NEXT VALUE FOR mintmark_change_numbers',
    },
    changedNames: (before, after) =>
      `(SELECT coalesce(json_arrayagg(name), '[]') FROM (${differing(before, after)} UNION ${differing(after, before)}) AS names)`,
    lockRows: 'FOR UPDATE',
    lockForRemoval: 'FOR UPDATE',
    lockToRead: 'LOCK IN SHARE MODE',
    // The statement, or its transaction, is repeated after this error.
    startAgain: (trigger, query) =>
      createTrigger(trigger, [
        `IF EXISTS (${query}) THEN
      SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'another transaction has changed what this statement depends on';
    END IF`,
      ]),
    // A trigger contains semicolons, and keeps the SQL mode in which it is created.
    print: (statements) =>
      `DELIMITER //\n\n${[...settings, ...statements].map((text) => `${text}\n//\n`).join('\n')}\nDELIMITER ;\n`,
    // InnoDB keeps its own statistics while rows are written.
    showRows: () => [],
  },
  findTable: 'SELECT 1 AS found FROM information_schema.tables WHERE table_schema = database() AND table_name = ?',
  encodeFlag: (value) => (value ? 1 : 0),
  decodeFlag: (value) => value === 1,
  encodeSearchable: (value) => JSON.stringify(value),
  searchableText: (column) => sql`${column}`,
  decodeSearchable: (json) => JSON.parse(json) as JsonValue,
  searchedJson: (table, column) => ({ from: sql.table(table), document: sql`${sql.ref(`${table}.${column}`)}` }),
  decodeText: (decoded) => decoded,
  jsonPairs: (pairs) =>
    overPairs(pairs, (first, second) => sql`coalesce(json_arrayagg(json_array(${first}, ${second})), '[]')`),
  sumOfPairs: (pairs, number) => overPairs(pairs, (_, second) => sql`sum(${number(second)})`),
  listed: (list) =>
    sql`select listed.value from json_table(${list}, '$[*]' columns (value ${sql.raw(text)} path '$')) as listed`,
  listedPairs: (list) =>
    sql`select listed.first, listed.second from json_table(${list}, '$[*]' columns (first ${sql.raw(text)} path '$[0]', second ${sql.raw(text)} path '$[1]')) as listed`,
  listedInOrder: (list) =>
    sql`select listed.value, listed.place from json_table(${list}, '$[*]' columns (place for ordinality, value ${sql.raw(text)} path '$')) as listed`,
  // A limit would need a query in FROM, which cannot use columns of other tables.
  countUpTo: (from, limit) =>
    sql`(case when (select 1 from ${from} limit 1 offset ${limit}) is null then (select count(*) from ${from}) else ${limit} end)`,
  materialized: sql`as`,
  wholeNumber: (number) => sql`${number}`,
  pageBefore: ({ order, end, limit, offset }) =>
    sql`and ${offset} < ${end} order by ${order} limit ${limit} offset ${offset}`,
  nullsLast: (value, direction) =>
    direction === 'asc' ? sql`${value} is null, ${value}` : sql`${value} is null desc, ${value} desc`,
  isSame: (one, other) => sql`${one} <=> ${other}`,
  // With a comparison of row values, MariaDB would begin at the first entry of the index.
  isBeyond: (columns, direction, values) => {
    const compare = sql.raw(direction)
    return columns.reduceRight<RawBuilder<boolean>>(
      (rest, column, place) => {
        const value = values[place] ?? sql`null`
        return place === columns.length - 1
          ? sql`${column} ${compare} ${value}`
          : sql`(${column} ${compare} ${value} or (${column} = ${value} and ${rest}))`
      },
      sql`true`,
    )
  },
  // MariaDB refuses a limit in the query of `IN` itself.
  among: (column, values) => sql`${column} in (select * from (${values}) as among_values)`,
  keyAmong: ({ issuerColumn, issuer, column }, values) =>
    sql`${issuerColumn} = ${issuer} and ${column} in (select * from (${values}) as wanted_values)`,
  // Begins with the identifiers: in a table of an outer join, MariaDB does so for no condition with IN.
  rowsFound: ({ from, key: { issuerColumn, issuer, column }, ids }) => ({
    from: sql`(select distinct id from (${ids}) as listed_ids) as found_ids straight_join ${from}`,
    where: sql`${issuerColumn} = ${issuer} and ${column} = found_ids.id`,
  }),
  changeAmong: ({ table, set, key: { issuerColumn, issuer, column }, values }) =>
    sql`update ${namedValues(values)} straight_join ${sql.table(table)} on ${column} = wanted.value set ${set} where ${issuerColumn} = ${issuer}`,
  deleteAmong: ({ table, where, column, values }) =>
    sql`delete ${sql.table(table)} from (${values}) as wanted straight_join ${sql.table(table)} on ${column} = wanted.value where ${where}`,
  readsRowByRow: false,
  // For a condition with IN in an outer join, MariaDB reads all rows of the issuer.
  joinsPages: true,
  throughIndex,
  // It would read all entries of the index: a condition with a value of another table does not end a range.
  eachValue: undefined,
  // Through the primary key: MariaDB that reads an index alone locks its entries, and not the rows, and a transaction that removes
  // a row waits only after it has looked for what depends on the row.
  keepRows: (column, table, where) =>
    sql`select ${sql.ref(column)} from ${sql.table(table)} force index (primary) where ${where} lock in share mode`,
  skipLocked: sql`for update skip locked`,
  search: mariadbSearch,
  mergeJson: (target, patch) => sql`json_merge_patch(${target}, ${patch})`,
  insertIfAbsent: (insert, returning = sql`1 as inserted`) => sql`${insert} returning ${returning}`,
  changeRows: ({ table, set, where, returning }) =>
    sql`${sql.raw(insertOfFound(table))} where ${where} ${sql.raw(endOfFound)} ${set} returning ${returning}`,
  changeFrom: ({ table, set, from, where }) => sql`update ${sql.table(table)} join ${from} on ${where} set ${set}`,
  reportsUpserts: false,
  writesInTurn: false,
  upsert: ({ table, columns, values, set, where }) => {
    const changes = Object.entries(set).map(([column, value]) => {
      const current = sql.ref(`${table}.${column}`)
      return sql`${sql.ref(column)} = ${where === undefined ? value : sql`case when ${where} then ${value} else ${current} end`}`
    })
    return sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))}) values (${values})
      on duplicate key update ${sql.join(changes)}`
  },
  excluded: (column) => sql`values(${sql.ref(column)})`,
  deleteBatch: ({ table, condition, order, limit }) =>
    sql`delete from ${sql.table(table)} where ${condition} order by ${order} limit ${limit} returning ${order} as ordered_by`,
}

/** A query for the names of the members of a JSON object that another does not have with the same value. */
const differing = (one: string, other: string): string =>
  `SELECT name FROM (${membersOf(one)} EXCEPT ${membersOf(other)}) AS differing`

/** A path cannot contain every name, so each member is found by its place. */
const membersOf = (object: string): string =>
  `SELECT member.name, json_extract(json_extract(${object}, '$.*'), concat('$[', member.place - 1, ']')) AS value
  FROM json_table(json_keys(${object}), '$[*]' COLUMNS (place FOR ORDINALITY, name ${text} PATH '$')) AS member`

/**
 * NULLs are distinct in a unique index. So a condition that a column is not NULL needs nothing more; for other conditions the
 * last column is NULL in the rows that do not meet them.
 */
function partialIndex({ name, table, columns, where, unique }: SqlPartialIndex): string {
  if (unique !== true) return `CREATE INDEX ${name} ON ${table} (${columns.join(', ')})`
  const last = columns.at(-1) ?? ''
  if (where === `${last} IS NOT NULL`) return `CREATE UNIQUE INDEX ${name} ON ${table} (${columns.join(', ')})`
  return `ALTER TABLE ${table} ADD COLUMN ${name}_value VARBINARY(800) AS (CASE WHEN ${where} THEN ${last} END) VIRTUAL INVISIBLE,
  ADD UNIQUE INDEX ${name} (${[...columns.slice(0, -1), `${name}_value`].join(', ')})`
}

/** Triggers do nothing in a session that copies a database: the rows that they would write are copied as well. */
export const copyingVariable = '@mintmark_copying'

function createTrigger(
  { name, table, after, when, onlyIf }: Omit<SqlTrigger, 'statements' | 'lockFirst'>,
  statements: readonly string[],
): readonly string[] {
  return [
    `CREATE TRIGGER ${name} AFTER ${after.split(' ')[0] ?? ''} ON ${table} FOR EACH ROW BEGIN
  IF ${copyingVariable} IS NULL AND (${when})${onlyIf === undefined ? '' : ` AND EXISTS (${onlyIf})`} THEN
${statements.map((statement) => `    ${statement};\n`).join('')}  END IF;
END`,
  ]
}

const lockFound = ({ table, issuer, column, query }: NonNullable<SqlTrigger['lockFirst']>): string =>
  `DO (SELECT count(*) FROM (SELECT ${column} FROM ${table} WHERE issuer = ${issuer} AND ${column} IN (${query}) ORDER BY ${column} FOR UPDATE) AS locked)`

function throughIndex(table: string, index: string, alias = table): RawBuilder<unknown> {
  return sql`${sql.table(table)} as ${sql.ref(alias)} force index (${sql.ref(index)})`
}

/** A query with one column, as a table whose column is `value`. */
const namedValues = (values: Expression<unknown>): RawBuilder<unknown> =>
  sql`(with named (value) as (${values}) select value from named) as wanted`

/**
 * Evaluates an aggregate over pairs. A query in FROM cannot use columns of other tables, so a limit is a condition: the first
 * pair after those that are read. No identifier is greater than the byte 255, which is not in UTF-8. Until MariaDB has counted the
 * rows of a new table, it would use an index of which only the first column is given.
 */
function overPairs(
  { table, index, where, first, second, limit }: SqlPairs,
  aggregate: (first: RawBuilder<unknown>, second: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<SqlValue> {
  const from = (alias: string): RawBuilder<unknown> => sql`${throughIndex(table, index, alias)} where ${where(alias)}`
  const end =
    limit === undefined
      ? sql``
      : sql`and ${first('membership')} < coalesce((select ${first('beyond')} from ${from('beyond')}
        order by ${first('beyond')} limit 1 offset ${limit}), x'ff')`
  return sql`(select ${aggregate(first('membership'), second('membership'))} from ${from('membership')} ${end})`
}
