import { chunksOf } from '@mintmark/internal'
import type { JsonValue } from '@mintmark/storage-interface'
import { sql, SqliteAdapter, SqliteQueryCompiler } from 'kysely'
import {
  countRow,
  createExpressionIndex,
  createPartialIndex,
  insertOrNothing,
  kindOfKey,
  printTransaction,
  updateFrom,
  updateReturning,
  upsertReturning,
  upsertRow,
  type SqlEngine,
  type SqlIndexedValues,
} from '../dialect.ts'
import { readRows } from '../row.ts'
import { changeFoundRows, selectPairs, standardForms, statementsAmong } from '../standard-forms.ts'
import { sqliteSearch } from './search.ts'
import { showRows } from './statistics.ts'

/**
 * As a pair: with two separate conditions SQLite may use only the first, with another index, and read all rows of the issuer.
 */
const keyAmong: SqlEngine['keyAmong'] = ({ issuerColumn, issuer, column }, values) =>
  sql`(${issuerColumn}, ${column}) in (select ${issuer}, wanted.* from (${values}) as wanted)`

/** SQLite 3.39 or later. */
export const sqlite: SqlEngine = {
  name: 'sqlite',
  undoesSchemaChanges: true,
  kysely: {
    createAdapter: () => new SqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
  types: {
    text: 'TEXT',
    key: 'TEXT',
    longKey: 'TEXT',
    integer: 'INTEGER',
    flag: 'INTEGER',
    json: 'TEXT',
    searchable: 'TEXT',
    now: 'unixepoch()',
    // STRICT: a column holds its type and nothing else.
    table: 'STRICT',
    // The row is stored in the tree of its key: one look-up instead of two, one page written instead of two.
    smallRowTable: 'STRICT, WITHOUT ROWID',
    partialIndex: createPartialIndex,
    expressionIndex: createExpressionIndex,
    differ: (one, other) => `${one} IS DISTINCT FROM ${other}`,
    orNothing: 'ON CONFLICT DO NOTHING',
    changeFound: changeFoundRows,
    count: countRow,
    runsTriggersInTurn: false,
    trigger: ({ name, table, after, when, onlyIf, statements }) => [
      `CREATE TRIGGER ${name} AFTER ${after} ON ${table} WHEN ${onlyIf === undefined ? when : `(${when}) AND EXISTS (${onlyIf})`} BEGIN
${statements.map((statement) => `  ${statement};\n`).join('')}END`,
    ],
    no: '0',
    yes: '1',
    lockTable: () => [],
    pathOf: (names) => `$${names.map((name) => `."${name}"`).join('')}`,
    indexedValues,
    // As one row value: with separate conditions SQLite may use the index of all rows of the provider.
    removeRows: ({ table, row, same, columns, query }) =>
      `DELETE FROM ${table} WHERE ${same.map((column) => `${column} = ${row}.${column}`).join(' AND ')}
    AND (${columns.join(', ')}) IN (${query})`,
    print: printTransaction,
    randomText: 'lower(hex(randomblob(16)))',
    changeNumbers: { create: [], next: '(SELECT coalesce(max(sequence), 0) + 1 FROM mintmark_changes)' },
    changedNames: (before, after) =>
      `(SELECT json_group_array(name) FROM (${differing(before, after)} UNION ${differing(after, before)}))`,
    // There is one writer at a time.
    lockRows: '',
    lockToRead: '',
    lockForRemoval: '',
    startAgain: () => [],
    showRows,
  },
  findTable: `SELECT name FROM sqlite_schema WHERE type = 'table' AND name = ?`,
  encodeFlag: (value) => (value ? 1 : 0),
  decodeFlag: (value) => value === 1,
  encodeSearchable: (value) => JSON.stringify(value),
  searchableText: (column) => sql`${column}`,
  decodeSearchable: (text) => JSON.parse(text) as JsonValue,
  searchedJson: (table, column) => ({ from: sql.table(table), document: sql`${sql.ref(`${table}.${column}`)}` }),
  decodeText: (text) => text,
  jsonPairs: (pairs) =>
    sql`(select json_group_array(json_array(pair.first, pair.second)) from (${selectPairs(pairs)}) as pair)`,
  sumOfPairs: (pairs, number) => sql`(select sum(${number(sql`pair.second`)}) from (${selectPairs(pairs)}) as pair)`,
  listed: (list) => sql`select value from json_each(${list})`,
  listedPairs: (list) => sql`select value ->> 0 as first, value ->> 1 as second from json_each(${list})`,
  listedInOrder: (list) => sql`select value, key + 1 as place from json_each(${list})`,
  ...standardForms,
  ...statementsAmong({
    among: (column, values) => sql`${column} in (${values})`,
    keyAmong,
  }),
  // A join needs no temporary table, in which IN collects its values. That is a fifth of the time of a lookup.
  rowsFound: ({ from, key, ids, areDistinct }) =>
    areDistinct
      ? {
          from: sql`(${ids}) as found cross join ${from}`,
          where: sql`${key.issuerColumn} = ${key.issuer} and ${key.column} = found.id`,
        }
      : { from: sql`${from}`, where: keyAmong(key, ids) },
  // SQLite reads the table row only when one of its other columns is needed.
  readsRowByRow: true,
  keepRows: readRows,
  skipLocked: sql``,
  search: sqliteSearch,
  insertIfAbsent: insertOrNothing,
  changeRows: updateReturning,
  changeFrom: updateFrom,
  reportsUpserts: true,
  writesInTurn: false,
  upsert: upsertReturning,
  excluded: (column) => sql.ref(`excluded.${column}`),
  mergeJson: (target, patch) => sql`json_patch(${target}, ${patch})`,
  deleteBatch: ({ table, key, condition, order, limit }) => {
    const columns = sql.join(key.map((column) => sql.ref(column)))
    return sql`delete from ${sql.table(table)} where (${columns}) in (select ${columns} from ${sql.table(table)} where ${condition} order by ${order} limit ${limit}) returning ${order} as ordered_by`
  },
}

/**
 * SQLite for a dialect that returns an empty row for a write without RETURNING that has changed rows. For RETURNING, SQLite creates
 * a temporary table each time, which takes a third of the time of an insert.
 */
export const sqliteThatCounts: SqlEngine = {
  ...sqlite,
  insertIfAbsent: (insert, returning) =>
    returning === undefined ? sql`${insert} on conflict do nothing` : insertOrNothing(insert, returning),
  upsert: upsertRow,
}

const membersOf = (object: string): string => `SELECT key, type, value FROM json_each(${object})`

const differing = (one: string, other: string): string =>
  `SELECT key AS name FROM (${membersOf(one)} EXCEPT ${membersOf(other)})`

function indexedValues({
  row,
  keys: keyColumns = [],
  single = [],
  several = [],
  first = [],
  from,
}: SqlIndexedValues): string {
  const keys = from === undefined ? '' : `${row}.issuer, ${row}.provider_id, ${row}.created_at, ${row}.user_id, `
  const where = from === undefined ? 'true' : `${row}.provider_id IS NOT NULL`
  const document = `${row}.comparable`
  const rest = (...tables: readonly (string | undefined)[]): string => {
    const joined = [from, ...tables].filter((table) => table !== undefined).join(', ')
    return joined === '' ? `WHERE ${where}` : `FROM ${joined} WHERE ${where}`
  }
  const queries = [
    ...single.map(
      ({ attribute, path, isUnique, from: attributes }) =>
        `SELECT ${keys}${attribute} AS attribute,
      ${kindAndValue(`coalesce(json_type(${document}, ${path}), 'null')`, `(${document} ->> ${path})`)}, ${isUnique} AS is_unique ${rest(attributes)}`,
    ),
    ...several.map(
      ({ attribute, path, part, isUnique, from: attributes }) =>
        `SELECT DISTINCT ${keys}${attribute} AS attribute, 0 AS kind, substr(node.atom, 1, 200) AS value, ${isUnique} AS is_unique
      ${rest(attributes, `json_tree(${document} -> ${path}) AS node`)} AND node.type = 'text'
      AND (${part} = '' OR node.key = ${part} OR substr(node.path, -length(${part}) - 1) = '.' || ${part})`,
    ),
    ...first.map(
      ({ attribute, path, part, isUnique, from: attributes }) =>
        `SELECT ${keys}${attribute} AS attribute,
      ${kindAndValue('node.type', 'node.atom')}, ${isUnique} AS is_unique
      ${rest(attributes, `json_each('[' || coalesce(${document} -> ${pathOfFirst(document, path, part)}, 'null') || ']') AS node`)}`,
    ),
    ...keyColumns.map(
      ([attribute, column]) =>
        `SELECT ${keys}'${attribute}' AS attribute, ${kindOfKey(`${row}.${column}`)} AS kind,
      coalesce(${row}.${column}, '') AS value, 0 AS is_unique ${rest()}`,
    ),
  ]
  return unionOf(queries)
}

/**
 * Joins queries with UNION ALL. One compound has at most four terms, and a trigger adds one: SQLite in Durable Objects
 * allows five (SQLITE_LIMIT_COMPOUND_SELECT).
 */
function unionOf(queries: readonly string[]): string {
  if (queries.length <= 4) return queries.join(' UNION ALL ')
  return chunksOf(queries, Math.ceil(queries.length / 4))
    .map((group) => `SELECT * FROM (${unionOf(group)})`)
    .join(' UNION ALL ')
}

/** Returns the columns `kind` and `value` of a JSON value. */
const kindAndValue = (type: string, value: string): string =>
  `CASE ${type} WHEN 'null' THEN 1 WHEN 'text' THEN 2 * (length(${value}) > 200) ELSE 2 END AS kind,
      CASE WHEN ${type} IN ('text', 'integer', 'real') THEN substr(${value}, 1, 200) ELSE '' END AS value`

/**
 * Returns the path of the primary value of a list, or else of the first value; `NULL` if the list is empty. Usually the first
 * value is the primary one, or the only one.
 */
const pathOfFirst = (document: string, path: string, part: string): string =>
  `CASE WHEN json_type(${document}, ${path}) IS NOT 'array' THEN ${path} ELSE ${path} || CASE
        WHEN json_array_length(${document}, ${path}) = 1 OR json_type(${document}, ${path} || '[0].primary') IS 'true' THEN '[0]'
        ELSE (SELECT '[' || item.key || ']' FROM json_each(${document} -> ${path}) AS item
          ORDER BY CASE item.type WHEN 'object' THEN json_type(item.value, '$.primary') IS 'true' ELSE false END DESC, item.key LIMIT 1)
        END || CASE ${part} WHEN '' THEN '' ELSE '."' || ${part} || '"' END END`
