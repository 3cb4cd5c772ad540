import type { FilterAttribute } from '@mintmark/storage-interface'
import { sql, type Expression } from 'kysely'
import type { JsonSearch, SearchedValue, Sql, ValueKind } from '../json-search.ts'
import type { FilterScope } from './fold-filter.ts'

/** The attributes in a JSON document. */
const jsonScope = (document: Expression<unknown>, search: JsonSearch): FilterScope => ({
  value: (attribute) => search.at(document, pathOf(attribute)),
  isPresent: (attribute) => search.isPresent(document, pathOf(attribute)),
  elements: (attribute, alias) => elementsAt(document, pathOf(attribute), { search, alias }),
})

/** The complex values at a path of a JSON document. */
export function elementsAt(
  document: Expression<unknown>,
  path: readonly string[],
  { search, alias }: { readonly search: JsonSearch; readonly alias: string },
): ReturnType<FilterScope['elements']> {
  const { from, document: element } = search.objectsAt(document, path, alias)
  return { from, scope: jsonScope(element, search) }
}

/** The names that lead to an attribute. */
export const pathOf = ({ extension, name, subName }: FilterAttribute): readonly string[] =>
  [extension, name, subName].filter((part) => part !== undefined)

/** A value that a column holds; `NULL` is no value. */
export const columnValue = (kind: ValueKind, column: Sql, { typeNames, asNumber }: JsonSearch): SearchedValue => ({
  type: sql`case when ${column} is null then null else ${sql.lit(typeNames[kind][0])} end`,
  text: kind === 'text' ? column : sql`null`,
  number: kind === 'number' ? asNumber(column) : sql`null`,
  boolean: kind === 'boolean' ? column : sql`null`,
  items: undefined,
})

/** Of an attribute that is not there. */
export const noValue: SearchedValue = {
  type: sql`null`,
  text: sql`null`,
  number: sql`null`,
  boolean: sql`null`,
  items: undefined,
}
