import type { SqlExpectedRows } from '../dialect.ts'

/**
 * Statistics come of rows alone: tables that have neither are given some, which are analysed and taken away again in the same
 * transaction. Nobody sees them: the table is locked, and no trigger hears of them. Of `alike` columns two values are shown, and
 * the list of the commonest has room for one: with both in it, no other value would be expected at all.
 */
export const showRows = ({ tables, alike, absent }: SqlExpectedRows): readonly string[] => [
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

/** The names are our own: no quoting is needed. */
const listed = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ')
