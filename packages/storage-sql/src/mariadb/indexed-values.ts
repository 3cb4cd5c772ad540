import { kindOfKey, type SqlIndexedValues } from '../dialect.ts'

/** A query for the indexed values of a row: see `SqlEngine`. */
export function indexedValues({
  row,
  keys: keyColumns = [],
  single = [],
  several = [],
  first = [],
  from,
}: SqlIndexedValues): string {
  const keys = from === undefined ? '' : `${row}.issuer, ${row}.provider_id, ${row}.created_at, ${row}.user_id, `
  const document = `${row}.comparable`
  const rest = (...tables: readonly (string | undefined)[]): string => {
    const joined = [from, ...tables].filter((table) => table !== undefined).join(', ')
    const where = from === undefined ? 'true' : `${row}.provider_id IS NOT NULL`
    return joined === '' ? `WHERE ${where}` : `FROM ${joined} WHERE ${where}`
  }
  return [
    ...single.map(
      ({ attribute, path, isUnique, from: attributes }) =>
        `SELECT ${keys}${attribute} AS attribute, ${kindAndValue(`json_extract(${document}, ${path})`)}, ${isUnique} AS is_unique ${rest(attributes)}`,
    ),
    ...several.map(
      ({ attribute, path, part, isUnique, from: attributes }) =>
        `SELECT DISTINCT ${keys}${attribute} AS attribute, 0 AS kind, ${beginningOf(elementOf('node'))} AS value, ${isUnique} AS is_unique
      ${rest(attributes, itemsOf(`json_extract(${document}, ${path})`, 'item'), itemsOf(partOf(elementOf('item'), part), 'node'))}
      AND json_type(node.value) = 'STRING'`,
    ),
    ...first.map(
      ({ attribute, path, part, isUnique, from: attributes }) =>
        `SELECT ${keys}${attribute} AS attribute, ${kindAndValue(firstOfList(`json_extract(${document}, ${path})`, part))}, ${isUnique} AS is_unique ${rest(attributes)}`,
    ),
    ...keyColumns.map(
      ([attribute, column]) =>
        `SELECT ${keys}'${attribute}' AS attribute, ${kindOfKey(`${row}.${column}`)} AS kind, coalesce(${row}.${column}, '') AS value, false AS is_unique ${rest()}`,
    ),
  ].join(' UNION ALL ')
}

/** The columns `kind` and `value` of a JSON value. */
const kindAndValue = (node: string): string =>
  `CASE coalesce(json_type(${node}), 'NULL') WHEN 'NULL' THEN 1 WHEN 'STRING' THEN CASE WHEN char_length(json_unquote(${node})) > 200 THEN 2 ELSE 0 END ELSE 2 END AS kind,
      CASE WHEN json_type(${node}) IN ('STRING', 'INTEGER', 'DOUBLE') THEN ${beginningOf(node)} ELSE '' END AS value`

const beginningOf = (node: string): string => `left(json_unquote(${node}) COLLATE utf8mb4_nopad_bin, 200)`

/** The elements of a list, or the one value that is no list. */
const itemsOf = (value: string, alias: string): string =>
  `json_table(CASE json_type(${value}) WHEN 'ARRAY' THEN ${value} ELSE concat('[', ${value}, ']') END, '$[*]' COLUMNS (value JSON PATH '$')) AS ${alias}`

/** A column of JSON has a collation of its own. */
const elementOf = (alias: string): string => `(${alias}.value COLLATE utf8mb4_nopad_bin)`

const partOf = (item: string, part: string): string =>
  `CASE ${part} WHEN '' THEN ${item} ELSE json_extract(${item}, concat('$."', ${part}, '"')) END`

/** The primary value of a list, or else the first value. */
const firstOfList = (list: string, part: string): string =>
  `CASE WHEN json_type(${list}) = 'ARRAY' THEN (SELECT ${partOf(elementOf('item'), part)}
        FROM json_table(${list}, '$[*]' COLUMNS (place FOR ORDINALITY, value JSON PATH '$')) AS item
        ORDER BY coalesce(json_extract(item.value, '$.primary') = 'true', false) DESC, item.place LIMIT 1) ELSE ${list} END`
