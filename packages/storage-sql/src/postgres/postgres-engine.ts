import { PostgresAdapter, PostgresQueryCompiler, sql } from 'kysely'
import type { SqlEngine } from '../dialect.ts'
import { jsonbOfText } from './postgres-jsonb.ts'
import { postgresJoinedRows } from './postgres-joined-rows.ts'
import { postgresSearch } from './postgres-search.ts'
import { showRows } from './show-rows.ts'
import { decodeJson, decodeText, encodeJson } from './postgres-text.ts'

/** What is particular to PostgreSQL (14 or later). */
export const postgres: SqlEngine = {
  name: 'postgres',
  kysely: {
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
  types: {
    // Compared byte by byte: no language's rules of order, and no index that a new version of the C library makes wrong.
    text: 'TEXT COLLATE "C"',
    integer: 'BIGINT',
    flag: 'BOOLEAN',
    // Not JSONB: it cannot hold U+0000, and it would give back another text than it was given.
    json: 'TEXT COLLATE "C"',
    searchable: 'JSONB',
    // Not now(), which is when the transaction began: it may have waited for locks since.
    now: 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS BIGINT)',
    table: '',
    // Room in each page for the next version of its rows: an update then touches no index (heap-only tuples).
    smallRowTable: 'WITH (fillfactor = 80)',
    trigger: ({ name, table, after, when, statements }) => [
      `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
${statements.map((statement) => `  ${statement};\n`).join('')}  RETURN NULL;
END $$`,
      `CREATE TRIGGER ${name} AFTER ${after} ON ${table} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION ${name}()`,
    ],
    emailValues: (column) =>
      `SELECT DISTINCT substr(node #>> '{}', 1, 200) AS value FROM jsonb_path_query(${column}, 'lax $.emails[*].value[*]') AS node
    WHERE jsonb_typeof(node) = 'string'`,
    // Readers pass, and so does a group that takes such a group as a member.
    lockRows: 'FOR NO KEY UPDATE',
    lockForRemoval: 'FOR UPDATE',
    lockGroups: ({ issuer, ids }) =>
      `SELECT group_id FROM mintmark_groups WHERE issuer = ${issuer} AND group_id = ANY (ARRAY(${ids})) ORDER BY group_id FOR NO KEY UPDATE`,
    lockFirst: ({ name, statements }, rows) => [
      `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM ${rows} FOR NO KEY UPDATE;
${statements.map((statement) => `  ${statement};\n`).join('')}  RETURN NULL;
END $$`,
    ],
    showRows,
  },
  findTable: 'SELECT 1 AS found WHERE to_regclass($1) IS NOT NULL',
  encodeFlag: (value) => value,
  decodeFlag: (value) => value === true,
  encodeSearchable: encodeJson,
  searchableText: (column) => sql`cast(${column} as text)`,
  decodeSearchable: decodeJson,
  // OFFSET keeps it a query of its own: each text is taken apart once, and not for each comparison.
  searchedJson: (table, column) => ({
    from: sql`${sql.table(table)} cross join lateral (select ${jsonbOfText(sql.ref(`${table}.${column}`))} as document offset 0) as searched`,
    document: sql`searched.document`,
  }),
  decodeText,
  jsonPairs: (query) =>
    sql`(select coalesce(json_agg(json_build_array(pair.first, pair.second)), '[]')::text from (${query}) as pair)`,
  listed: (list) => sql`select value from jsonb_array_elements_text(${list}::jsonb) as value`,
  listedInOrder: (list) =>
    sql`select value, place from jsonb_array_elements_text(${list}::jsonb) with ordinality as listed(value, place)`,
  // An array has no statistics that could make reading the whole table look cheap.
  among: (column, values) => sql`${column} = any(array(${values}))`,
  keyAmong: ({ issuerColumn, issuer, column }, values) =>
    sql`${issuerColumn} = ${issuer} and ${column} = any(array(${values}))`,
  skipsInIndex: false,
  keepRows: (name) => sql`for key share of ${sql.table(name)}`,
  joined: postgresJoinedRows,
  search: postgresSearch,
  mergeJson: (target, patch) => sql`(${target}::jsonb || ${patch}::jsonb)::text`,
  // An array of row addresses is computed once, and looked up without a plan that could choose to read the whole table.
  // SKIP LOCKED: several servers may purge at once, and none waits for a person's request, or makes it wait.
  deleteBatch: ({ table, condition, order, limit }) =>
    sql`delete from ${sql.table(table)} where ctid = any(array(select ctid from ${sql.table(table)} where ${condition} order by ${order} limit ${limit} for update skip locked)) returning 1 as removed`,
}
