import { type Expression, sql } from 'kysely'
import type { JsonSearch, KeyType, SearchedValue, Sql } from '../json-search.ts'

/**
 * Searches JSON in text columns. Strings are compared as binary strings: byte by byte, which is the order of code points, and
 * with trailing spaces.
 */
export const mariadbSearch: JsonSearch = {
  typeNames: { text: ['string'], number: ['integer', 'double'], boolean: ['boolean'] },

  at: (document, path) => {
    const value = valueAt(document, path)
    return {
      ...scalar(value),
      items: (alias) => ({ from: itemsOf(value, alias), value: { ...scalar(itemOf(alias)), items: undefined } }),
    }
  },

  objectsAt: (document, path, alias) => {
    const value = valueAt(document, path)
    const list = sql`case json_type(${value}) when 'ARRAY' then ${value} when 'OBJECT' then concat('[', ${value}, ']') end`
    return {
      from: itemsOf(list, alias),
      where: sql`json_type(${itemOf(alias)}) = 'OBJECT'`,
      document: itemOf(alias),
    }
  },

  isPresent: (document, path) => sql`coalesce(${valueAt(document, path)} regexp ${presentValue}, false)`,

  contains: (text, part) => sql`locate(${binary(part)}, ${binary(text)}) > 0`,
  startsWith: (text, part) => sql`left(${binary(text)}, octet_length(${part})) = ${binary(part)}`,
  endsWith: (text, part) => sql`right(${binary(text)}, octet_length(${part})) = ${binary(part)}`,
  asNumber: (column) => column,

  sortOrder: (document, path, elementPart) => {
    const value = valueAt(document, path)
    const item = itemOf('item')
    const part = elementPart === undefined ? item : valueAt(item, [elementPart])
    const chosen = sql`(case json_type(${value}) when 'ARRAY' then (
      select ${part} from ${itemsOf(value, 'item')}
      order by coalesce(json_extract(${item}, '$.primary') = 'true', false) desc, item.place limit 1
    ) else ${value} end)`
    const type = sql`json_type(${chosen})`
    return {
      values: [
        sql`case when ${type} in ('INTEGER', 'DOUBLE') then ${numberOf(chosen)} end`,
        sql`case when ${type} in ('STRING', 'BOOLEAN') then ${textOf(chosen)} end`,
      ],
      key: ([number, text]) => sql`coalesce(${number}, ${text})`,
      keyText: ([number, text]) => sql`case when ${number} is null then ${listOf(text)} else ${listOf(number)} end`,
      after: (key) => [key('number'), key('text')],
      mayBeAbsent: true,
    }
  },

  toKey: listOf,
  keyValue: (key, type) => {
    const value = sql`json_extract(${key}, '$[0]')`
    const { names, convert } = keyTypes[type]
    return sql`(case when json_type(${value}) in (${sql.raw(names)}) then ${convert(value)} end)`
  },
}

const keyTypes: Readonly<Record<KeyType, { readonly names: string; readonly convert: (value: Sql) => Sql }>> = {
  text: { names: `'STRING'`, convert: textOf },
  number: { names: `'INTEGER', 'DOUBLE'`, convert: numberOf },
  integer: {
    names: `'INTEGER', 'DOUBLE'`,
    convert: (value) => sql`cast(least(greatest(${numberOf(value)}, -1e15), 1e15) as signed)`,
  },
  // A flag is stored as a number.
  boolean: { names: `'INTEGER', 'BOOLEAN'`, convert: (value) => sql`(${value} in ('1', 'true'))` },
}

/** The driver parses a column of the type JSON, which `concat` changes to text. */
function listOf(value: Expression<unknown> | undefined): Sql {
  return sql`concat(json_array(${value}), '')`
}

const scalar = (value: Sql): SearchedValue => ({
  type: sql`lower(json_type(${value}))`,
  text: textOf(value),
  number: numberOf(value),
  boolean: sql`(${value} = 'true')`,
  items: undefined,
})

function textOf(value: Sql): Sql {
  return binary(sql`json_unquote(${value})`)
}

function numberOf(value: Sql): Sql {
  return sql`cast(json_unquote(${value}) as double)`
}

function binary(text: Sql): Sql {
  return sql`cast(${text} as binary)`
}

const itemsOf = (list: Sql, alias: string): Sql =>
  sql`json_table(${list}, '$[*]' columns (place for ordinality, value json path '$')) as ${sql.ref(alias)}`

/** A column of JSON has a collation of its own. */
const itemOf = (alias: string): Sql => sql`(${sql.ref(`${alias}.value`)} collate utf8mb4_nopad_bin)`

const valueAt = (document: Expression<unknown>, path: readonly string[]): Sql =>
  path.length === 0 ? sql`${document}` : sql`json_extract(${document}, ${pathText(path)})`

const pathText = (path: readonly string[]): string =>
  `$${path.map((name) => `."${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join('')}`

/**
 * Finds a non-empty string, a number or a boolean in JSON text, wherever it is. Names of members and empty strings are skipped
 * as a whole, so that nothing in a name is found.
 */
const presentValue = String.raw`(?:"(?:[^"\\]|\\.)*+"\s*:|"")(*SKIP)(*F)|"|[0-9]|true|false`
