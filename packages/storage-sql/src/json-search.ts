import { type Expression, type RawBuilder, sql } from 'kysely'

/** A fragment of SQL. */
export type Sql = RawBuilder<unknown>

/** The types of values that filters compare. */
export type ValueKind = 'text' | 'number' | 'boolean'

/** SQL for a value of a row. `text`, `number` and `boolean` are valid only in rows in which `type` has that type. */
export interface SearchedValue {
  /** The engine's name of the value's type; `NULL` if there is no value. */
  readonly type: Sql
  readonly text: Sql
  readonly number: Sql
  readonly boolean: Sql
  /**
   * Reads the elements if the value is a list; undefined for values that are never lists. The alias must be unique in
   * the statement.
   */
  readonly items: ((alias: string) => SearchedItems) | undefined
}

/** The elements of a list, one row each. */
interface SearchedItems {
  /** The `FROM` clause. */
  readonly from: Sql
  readonly value: SearchedValue
}

/** The objects of a list, one row each. */
interface SearchedObjects {
  readonly from: Sql
  /** A condition for the rows, if `from` may have others. */
  readonly where?: Sql
  readonly document: Expression<unknown>
}

/** The type of a value in a cursor. */
export type KeyType = ValueKind | 'integer'

/** How a database searches JSON in a `searchable` column. The SQL raises no error, whatever the document contains. */
export interface JsonSearch {
  /** The engine's names of the types. */
  readonly typeNames: Readonly<Record<ValueKind, readonly [string, ...string[]]>>
  /** The value at the path. */
  readonly at: (document: Expression<unknown>, path: readonly string[]) => SearchedValue
  /** The objects of the list at the path, or the single object there. */
  readonly objectsAt: (document: Expression<unknown>, path: readonly string[], alias: string) => SearchedObjects
  /** Whether there is a non-empty string, a number or a boolean at the path or below it. */
  readonly isPresent: (document: Expression<unknown>, path: readonly string[]) => Sql
  /** Whether a string contains, begins with or ends with another, compared exactly. */
  readonly contains: (text: Sql, part: Sql) => Sql
  readonly startsWith: (text: Sql, part: Sql) => Sql
  readonly endsWith: (text: Sql, part: Sql) => Sql
  /** Converts a number column so that it can be compared with numbers of any size and with fractions. */
  readonly asNumber: (column: Sql) => Sql
  /**
   * The order by a value; its expressions are all `NULL` if there is no value. In a list of objects, `elementPart` names the
   * member that is sorted by.
   */
  readonly sortOrder: (
    document: Expression<unknown>,
    path: readonly string[],
    elementPart: string | undefined,
  ) => ListOrder
  /** The JSON text of a list with one value, and the value of such a text. */
  readonly toKey: (value: Sql) => Sql
  readonly keyValue: (key: Sql, type: KeyType) => Sql
}

/** The order of a sorted list. Rows with equal values follow by age and identifier. */
export interface ListOrder {
  /** The expressions by which rows are sorted. */
  readonly values: readonly Sql[]
  /** The value that a cursor contains, from the sorted values of a row and its `created_at`. It is the same in every index. */
  readonly key: (values: readonly Sql[], createdAt: Sql) => Sql
  /** The JSON text of a list with that value, if its type differs from row to row and `toKey` could not tell. */
  readonly keyText?: (values: readonly Sql[]) => Sql
  /** The values with which rows after a cursor are compared, from the value that it contains. */
  readonly after: (key: (type: KeyType) => Sql) => readonly Sql[]
  /** Whether a value may be `NULL`. */
  readonly mayBeAbsent: boolean
}

/** Returns the order by one column. */
export const orderByColumn = (column: Sql, type: KeyType, mayBeAbsent: boolean): ListOrder => ({
  values: [column],
  key: ([value]) => sql`${value}`,
  after: (key) => [key(type)],
  mayBeAbsent,
})
