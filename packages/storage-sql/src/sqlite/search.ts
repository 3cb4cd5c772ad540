import { sql } from 'kysely'
import { type JsonSearch, orderByColumn, type SearchedValue } from '../json-search.ts'

/**
 * Searches JSON in text columns with SQLite's JSON functions. Strings compare byte by byte, which is the order of code points.
 */
export const sqliteSearch: JsonSearch = {
  typeNames: { text: ['text'], number: ['integer', 'real'], boolean: ['true', 'false'] },

  at: (document, path) => ({
    ...scalar(sql`json_type(${document}, ${pathText(path)})`, sql`(${document} ->> ${pathText(path)})`),
    items: (alias) => {
      const item = sql.ref(alias)
      return {
        from: sql`json_each(${document}, ${pathText(path)}) as ${item}`,
        value: scalar(sql.ref(`${alias}.type`), sql.ref(`${alias}.atom`)),
      }
    },
  }),

  objectsAt: (document, path, alias) => {
    const isOne = sql`json_type(${document}, ${pathText(path)}) = 'object'`
    // A list is read in place. A value that is neither a list nor an object yields no objects.
    return {
      from: sql`(select value from json_each(
        case when ${isOne} then json_array(${document} -> ${pathText(path)}) else ${document} end,
        case when ${isOne} then '$' else ${pathText(path)} end) where type = 'object') as ${sql.ref(alias)}`,
      document: sql.ref(`${alias}.value`),
    }
  },

  isPresent: (document, path) =>
    sql`exists (select 1 from json_tree(${document}, ${pathText(path)}) as leaf where leaf.atom is not null and leaf.atom <> '')`,

  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
  startsWith: (text, part) => sql`substr(${text}, 1, length(${part})) = ${part}`,
  endsWith: (text, part) => sql`substr(${text}, -length(${part}), length(${part})) = ${part}`,
  asNumber: (column) => column,

  sortOrder: (document, path, elementPart) => {
    const part =
      elementPart === undefined
        ? sql`item.atom`
        : sql`case item.type when 'object' then item.value ->> ${pathText([elementPart])} end`
    return orderByColumn(
      sql`case json_type(${document}, ${pathText(path)}) when 'object' then null when 'array' then (
        select ${part} from json_each(${document}, ${pathText(path)}) as item
        order by case item.type when 'object' then json_type(item.value, '$.primary') is 'true' else false end desc, item.key limit 1
      ) else ${document} ->> ${pathText(path)} end`,
      'text',
      true,
    )
  },

  // Some versions of SQLite write only 15 digits of a number as JSON.
  toKey: (value) =>
    sql`case typeof(${value}) when 'real' then printf('[%!.17g]', ${value}) else json_array(${value}) end`,
  // The value has the type that the JSON has.
  keyValue: (key) => sql`(${key} ->> 0)`,
}

/** SQLite returns a value of the type that the JSON has; `true` is 1. */
const scalar = (type: SearchedValue['type'], value: SearchedValue['text']): SearchedValue => ({
  type,
  text: value,
  number: value,
  boolean: value,
  items: undefined,
})

const pathText = (path: readonly string[]): string => `$${path.map((name) => `."${name}"`).join('')}`
