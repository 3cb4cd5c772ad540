import { type Expression, sql } from 'kysely'
import type { JsonSearch, SearchedValue, Sql } from '../json-search.ts'

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

  sortValues: (document, path, elementPart) => {
    const value = valueAt(document, path)
    const part = elementPart === undefined ? sql`item.value` : sql`item.value -> ${elementPart}::text`
    const chosen = sql`(case jsonb_typeof(${value}) when 'array' then (
      select ${part} from jsonb_array_elements(${value}) with ordinality as item(value, place)
      order by coalesce(item.value -> 'primary' = 'true', false) desc, item.place limit 1
    ) else ${value} end)`
    return [
      sql`case jsonb_typeof(${chosen}) when 'number' then (${chosen})::numeric end`,
      sql`(case jsonb_typeof(${chosen}) when 'string' then ${chosen} #>> '{}' when 'boolean' then ${chosen} #>> '{}' end) collate "C"`,
    ]
  },
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
