import type { JsonValue } from '@mintmark/storage-interface'
import { MysqlAdapter, sql } from 'kysely'
import type { SqlEngine, SqlJoinedRows, SqlPartialIndex, SqlRow, SqlValue } from '../dialect.ts'
import { indexOfColumn } from '../row.ts'
import { endOfFound, insertOfFound, MariadbQueryCompiler } from './query-compiler.ts'

/** Selects each column separately. */
const joinedRows: SqlJoinedRows = {
  select: ({ alias, columns }) =>
    columns.map((column) => sql<SqlValue>`${sql.ref(`${alias}.${column}`)}`.as(`${alias}_${column}`)),

  take: ({ alias, columns }) => {
    let statement: SqlRow['indexByColumn'] | undefined
    let indexByColumn: SqlRow['indexByColumn'] = new Map()
    return ({ indexByColumn: ofStatement, values }) => {
      if (ofStatement !== statement) {
        indexByColumn = new Map(columns.map((column) => [column, indexOfColumn(ofStatement, `${alias}_${column}`)]))
        statement = ofStatement
      }
      return { indexByColumn, values }
    }
  },
}

/** Compared byte by byte, with trailing spaces. */
const text = 'LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin'

/** MariaDB 10.11 or later, without directories. */
export const mariadb: SqlEngine = {
  name: 'mariadb',
  serves: 'oauth',
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
    trigger: ({ name, table, after, when, statements }) => [
      `CREATE TRIGGER ${name} AFTER ${after.split(' ')[0] ?? ''} ON ${table} FOR EACH ROW BEGIN
  IF ${when} THEN
${statements.map((statement) => `    ${statement};\n`).join('')}  END IF;
END`,
    ],
    differ: (one, other) => `NOT (${one} <=> ${other})`,
    count: ({ table, values, counter }) =>
      `INSERT INTO ${table} (${Object.keys(values).join(', ')}) VALUES (${Object.values(values).join(', ')})
    ON DUPLICATE KEY UPDATE ${counter} = ${counter} + 1`,
    emailValues: unsupported,
    no: 'false',
    yes: 'true',
    lockTable: unsupported,
    pathOf: unsupported,
    indexedValues: unsupported,
    removeRows: unsupported,
    randomText: 'UUID()',
    changeNumbers: {
      create: ['CREATE SEQUENCE mintmark_change_numbers'],
      next: 'NEXT VALUE FOR mintmark_change_numbers',
    },
    changedNames: (before, after) =>
      `(SELECT coalesce(json_arrayagg(name), '[]') FROM (${differing(before, after)} UNION ${differing(after, before)}) AS names)`,
    lockRows: 'FOR UPDATE',
    lockForRemoval: 'FOR UPDATE',
    startAgain: unsupported,
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
  jsonPairs: unsupported,
  listed: (list) =>
    sql`select listed.value from json_table(${list}, '$[*]' columns (value ${sql.raw(text)} path '$')) as listed`,
  listedPairs: (list) =>
    sql`select listed.first, listed.second from json_table(${list}, '$[*]' columns (first ${sql.raw(text)} path '$[0]', second ${sql.raw(text)} path '$[1]')) as listed`,
  listedInOrder: unsupported,
  // MariaDB refuses a limit in the query of `IN` itself.
  among: (column, values) => sql`${column} in (select * from (${values}) as among_values)`,
  keyAmong: ({ issuerColumn, issuer, column }, values) => sql`${issuerColumn} = ${issuer} and ${column} in (${values})`,
  readsRowByRow: false,
  keepRows: () => sql`lock in share mode`,
  skipLocked: sql`for update skip locked`,
  joined: joinedRows,
  search: {
    typeNames: { text: ['STRING'], number: ['DOUBLE'], boolean: ['BOOLEAN'] },
    at: unsupported,
    objectsAt: unsupported,
    isPresent: unsupported,
    contains: unsupported,
    startsWith: unsupported,
    endsWith: unsupported,
    asNumber: unsupported,
    sortOrder: unsupported,
    toKey: unsupported,
    keyValue: unsupported,
  },
  mergeJson: (target, patch) => sql`json_merge_patch(${target}, ${patch})`,
  insertIfAbsent: (insert) => sql`${insert} returning 1 as inserted`,
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
    sql`delete from ${sql.table(table)} where ${condition} order by ${order} limit ${limit} returning 1 as removed`,
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

/** The parts of the engine that only directories and the lists of administration need. */
function unsupported(): never {
  throw new Error('On MariaDB, Mintmark stores no directories.')
}
