import type { Expression, RawBuilder } from 'kysely'

/** A part of a statement that is written as SQL. */
export type Sql = RawBuilder<unknown>

/** The kinds of values that are compared. */
export type ValueKind = 'text' | 'number' | 'boolean'

/** A value that a row has, as SQL. Only what its type says is to be read of it. */
export interface SearchedValue {
  /** One of the engine's type names; `NULL` when there is no value. */
  readonly type: Sql
  readonly text: Sql
  readonly number: Sql
  readonly boolean: Sql
  /** The values that it is a list of, under a name that nothing else in the statement has. */
  readonly items: ((alias: string) => SearchedItems) | undefined
}

/** Values of a list, each in a row. */
interface SearchedItems {
  /** What follows `FROM`. */
  readonly from: Sql
  readonly value: SearchedValue
}

/** The objects of a list, each in a row. */
interface SearchedObjects {
  readonly from: Sql
  readonly document: Expression<unknown>
}

/** How an engine looks into JSON of a `searchable` column. Whatever is there, nothing of this raises an error. */
export interface JsonSearch {
  /** How the engine calls the types. */
  readonly typeNames: Readonly<Record<ValueKind, readonly [string, ...string[]]>>
  readonly at: (document: Expression<unknown>, path: readonly string[]) => SearchedValue
  /** The objects of the list at the path, or the one that is there by itself. */
  readonly objectsAt: (document: Expression<unknown>, path: readonly string[], alias: string) => SearchedObjects
  /** Whether there is a text that is not empty, a number or a boolean, at the path or anywhere below. */
  readonly isPresent: (document: Expression<unknown>, path: readonly string[]) => Sql
  /** Whether a text has another somewhere, at its beginning, or at its end; each as it stands. */
  readonly contains: (text: Sql, part: Sql) => Sql
  readonly startsWith: (text: Sql, part: Sql) => Sql
  readonly endsWith: (text: Sql, part: Sql) => Sql
  /** A number of a column, to be compared with any other. */
  readonly asNumber: (column: Sql) => Sql
  /** What to sort by, one after the other; `NULL` in all of them when there is no value. */
  readonly sortValues: (
    document: Expression<unknown>,
    path: readonly string[],
    elementPart: string | undefined,
  ) => readonly Sql[]
}
