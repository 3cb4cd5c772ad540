import type { FilterAttribute } from '@mintmark/storage-interface/stores'
import { type Expression, sql } from 'kysely'
import type { JsonSearch, SearchedValue, Sql, ValueKind } from '../json-search.ts'
import type { FilterScope } from './filter.ts'

/** A column that holds an attribute. */
export interface KnownColumn {
  readonly kind: ValueKind
  readonly column: Sql
}

/** Finds attributes in columns, by their labels. */
export const columnsScope = (
  columns: ReadonlyMap<string, KnownColumn>,
  labelOf: (attribute: FilterAttribute) => string,
  search: JsonSearch,
): FilterScope => ({
  value: (attribute) => {
    const known = columns.get(labelOf(attribute))
    return known === undefined ? noValue : columnValue(known.kind, known.column, search)
  },
  isPresent: (attribute) => {
    const known = columns.get(labelOf(attribute))
    return known === undefined ? sql`false` : isColumnPresent(known)
  },
  elements: (_, alias) => noElements(alias),
})

export const isColumnPresent = ({ kind, column }: KnownColumn): Sql =>
  kind === 'text' ? sql`coalesce(${column} <> '', false)` : sql`(${column} is not null)`

export const noElements = (alias: string): ReturnType<FilterScope['elements']> => ({
  from: sql`(select 1 where false) as ${sql.ref(alias)}`,
  scope: nowhere,
})

const nowhere: FilterScope = {
  value: () => noValue,
  isPresent: () => sql`false`,
  elements: (_, alias) => noElements(alias),
}

/** Finds attributes in a JSON document. */
const jsonScope = (document: Expression<unknown>, search: JsonSearch): FilterScope => ({
  value: (attribute) => search.at(document, pathOf(attribute)),
  isPresent: (attribute) => search.isPresent(document, pathOf(attribute)),
  elements: (attribute, alias) => elementsAt(document, pathOf(attribute), { search, alias }),
})

/** Returns the complex values at a path of a JSON document. */
export function elementsAt(
  document: Expression<unknown>,
  path: readonly string[],
  { search, alias }: { readonly search: JsonSearch; readonly alias: string },
): ReturnType<FilterScope['elements']> {
  const { document: element, ...rows } = search.objectsAt(document, path, alias)
  return { ...rows, scope: jsonScope(element, search) }
}

/** Returns the path of an attribute. */
export const pathOf = ({ extension, name, subName }: FilterAttribute): readonly string[] =>
  [extension, name, subName].filter((part) => part !== undefined)

/** Returns the value in a column; `NULL` means no value. */
export const columnValue = (kind: ValueKind, column: Sql, { typeNames, asNumber }: JsonSearch): SearchedValue => ({
  type: sql`case when ${column} is null then null else ${sql.lit(typeNames[kind][0])} end`,
  text: kind === 'text' ? column : sql`null`,
  number: kind === 'number' ? asNumber(column) : sql`null`,
  boolean: kind === 'boolean' ? column : sql`null`,
  items: undefined,
})

/** The value of an absent attribute. */
export const noValue: SearchedValue = {
  type: sql`null`,
  text: sql`null`,
  number: sql`null`,
  boolean: sql`null`,
  items: undefined,
}
