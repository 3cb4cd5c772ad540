import { type Expression, sql } from 'kysely'
import type { JsonSearch, KeyType, SearchedValue, Sql } from '../json-search.ts'

/**
 * Searches JSONB. A value is converted only if its type allows it. Strings compare byte by byte, which is the order of code
 * points.
 */
export const postgresSearch: JsonSearch = {
  typeNames: { text: ['string'], number: ['number'], boolean: ['boolean'] },

  at: (document, path) => {
    const value = valueAt(document, path)
    return {
      ...scalar(value),
      items: (alias) => ({
        from: sql`jsonb_array_elements(${value}) as ${sql.ref(alias)}(value)`,
        value: { ...scalar(sql.ref(`${alias}.value`)), items: undefined },
      }),
    }
  },

  objectsAt: (document, path, alias) => {
    const value = valueAt(document, path)
    const item = sql.ref(`${alias}.value`)
    return {
      from: sql`(select value from jsonb_array_elements(case jsonb_typeof(${value})
        when 'array' then ${value} when 'object' then jsonb_build_array(${value}) else '[]' end)
        where jsonb_typeof(value) = 'object') as ${sql.ref(alias)}`,
      document: item,
    }
  },

  isPresent: (document, path) =>
    sql`coalesce(jsonb_path_exists(${valueAt(document, path)}, ${sql.lit(presentPath)}), false)`,

  contains: (text, part) => sql`strpos(${text}, ${part}::text) > 0`,
  startsWith: (text, part) => sql`starts_with(${text}, ${part}::text)`,
  endsWith: (text, part) => sql`right(${text}, length(${part}::text)) = ${part}::text`,
  asNumber: (column) => sql`(${column})::numeric`,

  sortOrder: (document, path, elementPart) => {
    const value = valueAt(document, path)
    const part = elementPart === undefined ? sql`item.value` : sql`item.value -> ${elementPart}::text`
    const chosen = sql`(case jsonb_typeof(${value}) when 'array' then (
      select ${part} from jsonb_array_elements(${value}) with ordinality as item(value, place)
      order by coalesce(item.value -> 'primary' = 'true', false) desc, item.place limit 1
    ) else ${value} end)`
    const values = [
      sql`case jsonb_typeof(${chosen}) when 'number' then (${chosen})::numeric end`,
      sql`(case jsonb_typeof(${chosen}) when 'string' then ${chosen} #>> '{}' when 'boolean' then ${chosen} #>> '{}' end) collate "C"`,
    ]
    return {
      values,
      key: ([number, text]) => sql`coalesce(to_jsonb(${number}), to_jsonb(${text}))`,
      after: (key) => [key('number'), key('text')],
      mayBeAbsent: true,
    }
  },

  toKey: (value) => sql`jsonb_build_array(${value})::text`,
  keyValue: (key, type) => {
    const list = sql`cast(${key} as jsonb)`
    const { name, cast } = keyTypes[type]
    return sql`(case jsonb_typeof(${list} -> 0) when ${sql.lit(name)} then ${cast(sql`(${list} ->> 0)`)} end)`
  },
}

const keyTypes: Readonly<Record<KeyType, { readonly name: string; readonly cast: (text: Sql) => Sql }>> = {
  text: { name: 'string', cast: (text) => sql`${text} collate "C"` },
  number: { name: 'number', cast: (text) => sql`cast(${text} as numeric)` },
  integer: {
    name: 'number',
    cast: (text) => sql`cast(least(greatest(cast(${text} as numeric), -1e15), 1e15) as bigint)`,
  },
  boolean: { name: 'boolean', cast: (text) => sql`cast(${text} as boolean)` },
}

const scalar = (value: Sql): SearchedValue => ({
  type: sql`jsonb_typeof(${value})`,
  text: sql`((${value} #>> '{}') collate "C")`,
  number: sql`(${value})::numeric`,
  boolean: sql`(${value})::boolean`,
  items: undefined,
})

const valueAt = (document: Expression<unknown>, path: readonly string[]): Sql =>
  path.length === 0 ? sql`${document}` : sql`(${document} #> ${arrayText(path)}::text[])`

const arrayText = (path: readonly string[]): string =>
  `{${path.map((name) => `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`

const presentPath = 'strict $.** ? ((@.type() == "string" && @ != "") || @.type() == "number" || @.type() == "boolean")'
