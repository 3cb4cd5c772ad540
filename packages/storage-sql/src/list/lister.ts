import type { JsonObject } from '@mintmark/storage-interface'
import type { ListOutcome } from '@mintmark/storage-interface/stores'
import type { Database } from '../database.ts'
import type { SqlRow } from '../dialect.ts'
import { createColumnReader } from '../row.ts'
import { pageStart } from './cursor.ts'
import type { FilterValues } from './filter.ts'
import { createFindFew } from './find-few.ts'
import { createListByAge } from './list-by-age.ts'
import { createListMatching } from './list-matching.ts'
import type { ListedKind } from './listed-kind.ts'
import { createPageReader, type RowQuery } from './page-reader.ts'
import { totalStatement } from './statements.ts'

/** The rows to list, and how to read them. */
interface Listing<Record, Query extends RowQuery> {
  readonly kind: ListedKind
  readonly read: (row: SqlRow) => Record
  /** The parameters of the kind's conditions, besides the issuer. */
  readonly owner: (query: Query) => FilterValues
  /**
   * Reads the attributes that filters compare from a row with its document. Left out if a row alone does not contain them:
   * then the database evaluates every filter.
   */
  readonly comparable?: (row: SqlRow) => JsonObject
}

/**
 * @param scanLimit how many ordinary rows a list may read one by one if no index finds fewer; a large row counts as
 * several.
 */
export function createLister<Record, Query extends RowQuery>(
  database: Database,
  { kind, read, owner, comparable }: Listing<Record, Query>,
  { scanLimit }: { readonly scanLimit: number },
): (query: Query) => Promise<ListOutcome<Record>> {
  const columns = createColumnReader(database.engine)
  const reader = createPageReader(database.engine, { kind, read })
  const findFew = createFindFew(database, kind, comparable)
  const total = totalStatement(database, kind)
  const totalOf = async (query: Query): Promise<number> => {
    const [all] = await database.run(total, owner(query), { signal: query.signal })
    return all === undefined ? 0 : columns.integer(all, 'total')
  }
  const listByAge = createListByAge(database, { kind, owner, totalOf, reader })
  const listMatching = createListMatching(database, { kind, owner, totalOf, reader, scanLimit })

  return async (query) => {
    const { filter, sort } = query
    const start = pageStart(query)
    const few = filter && (await findFew(filter, owner(query)))
    // Several rows need an order, and a page of limited bytes: the database does both. After a sorted value, the database
    // finds out whether the row has been listed.
    if (few !== undefined && few.length < 2 && start.key === undefined) {
      const page = few.filter((row) => reader.compareAge(row, start) > 0).slice(start.offset)
      return reader.toOutcome(page, query, { total: few.length, inPage: page.length, start })
    }
    return filter === undefined && sort === undefined ? listByAge(query, start) : listMatching(query, start)
  }
}
