import { PostgresAdapter, PostgresQueryCompiler, sql } from 'kysely'
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
  type SqlEngine,
  type SqlExpectedRows,
  type SqlIndexedValues,
  type SqlTrigger,
} from '../dialect.ts'
import { changeFoundRows, selectPairs, standardForms, statementsAmong } from '../standard-forms.ts'
import { postgresSearch } from './search.ts'
import { decodeJson, decodeText, encodeJson, jsonbOfText } from './text.ts'
import { readRows } from '../row.ts'

/** PostgreSQL 14 or later. */
export const postgres: SqlEngine = {
  name: 'postgres',
  undoesSchemaChanges: true,
  kysely: {
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
  types: {
    // Strings compare byte by byte, independent of a language's collation rules and of versions of the C library, which
    // can make an index wrong.
    text: 'TEXT COLLATE "C"',
    key: 'TEXT COLLATE "C"',
    longKey: 'TEXT COLLATE "C"',
    integer: 'BIGINT',
    flag: 'BOOLEAN',
    // Not JSONB, which cannot hold U+0000 and does not keep the exact text.
    json: 'TEXT COLLATE "C"',
    searchable: 'JSONB',
    // Not now(), which is the start of the transaction: it may have waited for locks since.
    now: 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS BIGINT)',
    table: '',
    // Leaves room in each page for the next version of a row, so that an update changes no index (heap-only tuples).
    smallRowTable: 'WITH (fillfactor = 80)',
    partialIndex: createPartialIndex,
    expressionIndex: createExpressionIndex,
    differ: (one, other) => `${one} IS DISTINCT FROM ${other}`,
    orNothing: 'ON CONFLICT DO NOTHING',
    changeFound: changeFoundRows,
    count: countRow,
    runsTriggersInTurn: false,
    trigger: ({ lockFirst, statements, ...trigger }) =>
      createTrigger(trigger, [...(lockFirst === undefined ? [] : [lockFound(lockFirst)]), ...statements]),
    no: 'false',
    yes: 'true',
    lockTable: (table) => [`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`],
    pathOf: (names, part) =>
      part === undefined
        ? `{${names.map((name) => `"${name}"`).join(',')}}`
        : `lax $${names.map((name) => `."${name}"`).join('')}[*]${part === '' ? '' : `."${part}"[*]`}`,
    indexedValues,
    // The address of each row is looked up by the whole key: a plan cannot read all rows of the provider.
    removeRows: ({ table, row, same, columns, query }) =>
      `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT (SELECT found.ctid FROM ${table} AS found
    WHERE ${[...same.map((column) => `found.${column} = ${row}.${column}`), ...columns.map((column) => `found.${column} = removed.${column}`)].join(' AND ')}) FROM (${query}) AS removed))`,
    print: printTransaction,
    randomText: 'gen_random_uuid()::text',
    changeNumbers: {
      create: ['CREATE SEQUENCE mintmark_change_numbers'],
      next: `nextval('mintmark_change_numbers')`,
    },
    changedNames: (before, after) =>
      `(SELECT coalesce(json_agg(name), '[]')::text FROM (${differing(before, after)} UNION ${differing(after, before)}) AS names)`,
    // Does not block readers, nor a transaction that adds such a group to another group.
    lockRows: 'FOR NO KEY UPDATE',
    lockToRead: '',
    lockForRemoval: 'FOR UPDATE',
    // The query sees what was committed after the statement began. The statement is repeated after this error.
    startAgain: (trigger, query) =>
      createTrigger(trigger, [
        `IF EXISTS (${query}) THEN
    RAISE EXCEPTION 'another transaction has changed what this statement depends on' USING ERRCODE = 'serialization_failure';
  END IF`,
      ]),
    showRows,
  },
  findTable: 'SELECT 1 AS found WHERE to_regclass($1) IS NOT NULL',
  encodeFlag: (value) => value,
  decodeFlag: (value) => value === true,
  encodeSearchable: encodeJson,
  searchableText: (column) => sql`cast(${column} as text)`,
  decodeSearchable: decodeJson,
  // OFFSET keeps this a separate query: each document is parsed once, not once for each comparison.
  searchedJson: (table, column) => ({
    from: sql`${sql.table(table)} cross join lateral (select ${jsonbOfText(sql.ref(`${table}.${column}`))} as document offset 0) as searched`,
    document: sql`searched.document`,
  }),
  decodeText,
  jsonPairs: (pairs) =>
    sql`(select coalesce(json_agg(json_build_array(pair.first, pair.second)), '[]')::text from (${selectPairs(pairs)}) as pair)`,
  sumOfPairs: (pairs, number) => sql`(select sum(${number(sql`pair.second`)}) from (${selectPairs(pairs)}) as pair)`,
  listed: (list) => sql`select value from jsonb_array_elements_text(${list}::jsonb) as value`,
  listedPairs: (list) =>
    sql`select value ->> 0 as first, value ->> 1 as second from jsonb_array_elements(${list}::jsonb) as value`,
  listedInOrder: (list) =>
    sql`select value, place from jsonb_array_elements_text(${list}::jsonb) with ordinality as listed(value, place)`,
  ...standardForms,
  // An array has no statistics that could make a scan of the whole table look cheap.
  ...statementsAmong({
    among: (column, values) => sql`${column} = any(array(${values}))`,
    keyAmong: ({ issuerColumn, issuer, column }, values) =>
      sql`${issuerColumn} = ${issuer} and ${column} = any(array(${values}))`,
  }),
  readsRowByRow: false,
  keepRows: (column, table, where) => sql`${readRows(column, table, where)} for key share of ${sql.table(table)}`,
  skipLocked: sql`for update skip locked`,
  search: postgresSearch,
  insertIfAbsent: insertOrNothing,
  changeRows: updateReturning,
  changeFrom: updateFrom,
  reportsUpserts: true,
  writesInTurn: true,
  upsert: upsertReturning,
  excluded: (column) => sql.ref(`excluded.${column}`),
  mergeJson: (target, patch) => sql`(${target}::jsonb || ${patch}::jsonb)::text`,
  // An array of row addresses is computed once, and looked up without a plan that could scan the whole table. SKIP
  // LOCKED lets several servers purge at once without waiting for requests or delaying them.
  deleteBatch: ({ table, condition, order, limit }) =>
    sql`delete from ${sql.table(table)} where ctid = any(array(select ctid from ${sql.table(table)} where ${condition} order by ${order} limit ${limit} for update skip locked)) returning ${order} as ordered_by`,
}

const membersOf = (object: string): string => `SELECT key, value::text FROM json_each(${object}::json)`

const differing = (one: string, other: string): string =>
  `SELECT key AS name FROM (${membersOf(one)} EXCEPT ${membersOf(other)}) AS differing`

/**
 * PostgreSQL makes statistics only from rows. Tables without rows and statistics get sample rows, which are analysed and
 * removed in the same transaction. The table is locked and its triggers are off, so nobody sees them. Columns in
 * `alike` get two values, while the list of the most common values has room for one: if both were in it, the planner
 * would expect no other value at all.
 */
function showRows({ tables, alike, absent }: SqlExpectedRows): readonly string[] {
  return [
    `DO $$
DECLARE
  shown TEXT;
  is_used BOOLEAN;
  names TEXT;
  row_values TEXT;
  brief TEXT;
BEGIN
  FOREACH shown IN ARRAY ARRAY[${listed(tables)}] LOOP
    CONTINUE WHEN EXISTS (SELECT FROM pg_stats WHERE schemaname = current_schema() AND tablename = shown);
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', shown);
    EXECUTE format('SELECT EXISTS (SELECT FROM %I)', shown) INTO is_used;
    CONTINUE WHEN is_used;

    SELECT
      string_agg(quote_ident(attname), ', ' ORDER BY attnum),
      string_agg(CASE
        WHEN attname IN (${listed(alike)}) THEN 'n % 2'
        WHEN attname IN (${listed(absent)}) THEN 'NULL'
        WHEN atttypid = 'boolean'::REGTYPE THEN 'TRUE'
        WHEN atttypid = 'bigint'::REGTYPE THEN 'n'
        WHEN atttypid = 'jsonb'::REGTYPE THEN '''{}'''
        ELSE '''-'' || n'
      END, ', ' ORDER BY attnum),
      string_agg(format('ALTER %I SET STATISTICS 1', attname), ', ') FILTER (WHERE attname IN (${listed(alike)}))
      INTO names, row_values, brief
      FROM pg_attribute WHERE attrelid = shown::REGCLASS AND attnum > 0 AND NOT attisdropped;
    EXECUTE format('ALTER TABLE %I DISABLE TRIGGER USER, %s', shown, brief);
    EXECUTE format('INSERT INTO %I (%s) SELECT %s FROM generate_series(1, 100) AS n', shown, names, row_values);
    EXECUTE format('ANALYZE %I', shown);
    EXECUTE format('TRUNCATE %I', shown);
    EXECUTE format('ALTER TABLE %I ENABLE TRIGGER USER, %s', shown, replace(brief, 'STATISTICS 1', 'STATISTICS -1'));
  END LOOP;
END $$`,
  ]
}

/** The condition of a trigger cannot contain a query, so the function evaluates it. */
const createTrigger = (
  { name, table, after, when, onlyIf }: Omit<SqlTrigger, 'statements' | 'lockFirst'>,
  statements: readonly string[],
): readonly string[] => [
  `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
${onlyIf === undefined ? '' : `  IF NOT EXISTS (${onlyIf}) THEN RETURN NULL; END IF;\n`}${statements.map((statement) => `  ${statement};\n`).join('')}  RETURN NULL;
END $$`,
  `CREATE TRIGGER ${name} AFTER ${after} ON ${table} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION ${name}()`,
]

const lockFound = ({ table, issuer, column, query }: NonNullable<SqlTrigger['lockFirst']>): string =>
  `PERFORM FROM ${table} WHERE issuer = ${issuer} AND ${column} = ANY (ARRAY(${query})) ORDER BY ${column} FOR NO KEY UPDATE`

/** The names are constants of this package: they need no quoting. */
const listed = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ')

/** Returns the beginning of a join. */
const joined = (attributes: string | undefined): string =>
  attributes === undefined ? '' : `${attributes} CROSS JOIN LATERAL `

function indexedValues({
  row,
  keys: keyColumns = [],
  single = [],
  several = [],
  first = [],
  from,
}: SqlIndexedValues): string {
  const keys =
    from === undefined ? '' : 'document.issuer, document.provider_id, document.created_at, document.user_id, '
  const read = [
    ...(from === undefined ? [] : ['issuer', 'provider_id', 'created_at', 'user_id']),
    ...keyColumns.map(([, column]) => column),
  ]
  const nodes = [
    ...single.map(
      ({ attribute, path, isUnique, from: attributes }) =>
        `SELECT ${attribute} AS attribute, document.comparable #> (${path})::text[] AS node, ${isUnique} AS is_unique${attributes === undefined ? '' : ` FROM ${attributes}`}`,
    ),
    ...first.map(
      ({ attribute, path, part, isUnique, from: attributes }) =>
        `SELECT ${attribute} AS attribute, ${firstOfList('list', part)} AS node, ${isUnique} AS is_unique
      FROM ${joined(attributes)}(SELECT document.comparable #> (${path})::text[] OFFSET 0) AS listed(list)`,
    ),
  ]
  const values = [
    ...(nodes.length === 0
      ? []
      : [`SELECT attribute, ${kindAndValue}, is_unique FROM (${nodes.join(' UNION ALL ')}) AS found`]),
    ...several.map(
      ({ attribute, path, isUnique, from: attributes }) =>
        `SELECT DISTINCT ${attribute} AS attribute, 0 AS kind, left(node #>> '{}', 200) AS value, ${isUnique} AS is_unique
      FROM ${joined(attributes)}jsonb_path_query(document.comparable, (${path})::jsonpath) AS node
      WHERE jsonb_typeof(node) = 'string'`,
    ),
    ...keyColumns.map(
      ([attribute, column]) =>
        `SELECT '${attribute}' AS attribute, ${kindOfKey(`document.${column}`)} AS kind, coalesce(document.${column}, '') AS value, false AS is_unique`,
    ),
  ]
  // The operator decompresses the document once, for all attributes, but it also copies it; OFFSET keeps this a separate query.
  const [attributes = 'none', ...others] = [...single, ...several, ...first].map((each) => each.from ?? 'one')
  const isReadOnce = attributes === 'one' && others.length === 0
  const document = isReadOnce ? `${row}.comparable` : `${row}.comparable || '{}'::jsonb AS comparable`
  return `SELECT ${keys}indexed.* FROM (SELECT ${[...read.map((column) => `${row}.${column}`), document].join(', ')}
      ${from === undefined ? '' : `FROM ${from} WHERE ${row}.provider_id IS NOT NULL `}OFFSET 0) AS document
    CROSS JOIN LATERAL (${values.join(' UNION ALL ')}) AS indexed`
}

/** The columns `kind` and `value` of the value `node`. */
const kindAndValue = `CASE coalesce(jsonb_typeof(node), 'null') WHEN 'null' THEN 1 WHEN 'string' THEN CASE WHEN length(node #>> '{}') > 200 THEN 2 ELSE 0 END ELSE 2 END AS kind,
      CASE WHEN jsonb_typeof(node) IN ('string', 'number') THEN left(node #>> '{}', 200) ELSE '' END AS value`

/** Returns the primary value of a list, or else the first value. Usually the first value is the primary one, or the only one. */
const firstOfList = (list: string, part: string): string => `CASE
        WHEN jsonb_typeof(${list}) IS DISTINCT FROM 'array' THEN ${list}
        WHEN jsonb_array_length(${list}) = 1 OR ${list} #> '{0,primary}' = 'true' THEN CASE ${part} WHEN '' THEN ${list} -> 0 ELSE ${list} -> 0 -> ${part} END
        ELSE (SELECT CASE ${part} WHEN '' THEN item.value ELSE item.value -> ${part} END
        FROM jsonb_array_elements(${list}) WITH ORDINALITY AS item(value, place)
        ORDER BY coalesce(item.value -> 'primary' = 'true', false) DESC, item.place LIMIT 1) END`
