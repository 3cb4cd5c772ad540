import { type JsonObject, matchesFilter, type ResolvedFilter } from '@mintmark/storage-interface'
import { findCandidates, type TextLookup } from '@mintmark/storage-interface/stores'
import { sql } from 'kysely'
import { type Database, compileSql, type Parameter, type Statement } from '../database.ts'
import type { SqlRow } from '../dialect.ts'
import { groupsInLookup } from '../groups-of-a-user.ts'
import type { Sql } from '../json-search.ts'
import { type ColumnReader, createColumnReader, indexKey } from '../row.ts'
import { type FilterValues, keyName } from './filter.ts'
import { type IndexLookup, keyOf, type ListedKind } from './listed-kind.ts'

/**
 * Finds the rows that match a filter. Returns `undefined` if the filter requires no string for which an index finds few
 * rows, or if there are more than a few.
 * @param owner the parameters that name the owner of the rows.
 */
type FindFew = (filter: ResolvedFilter, owner: FilterValues) => Promise<readonly SqlRow[] | undefined>

/**
 * Returns a function for the look-ups that identity providers make first: by an identifier, a name or an address. There is
 * one statement for each index. The rest of the filter is evaluated here, on the few rows that the statement finds.
 * @param comparable the attributes of a row that filters compare. Without it, only filters of the form `attribute eq
 * "text"` are supported.
 */
export function createFindFew(
  { query, engine, run }: Database,
  kind: ListedKind,
  comparable: ((row: SqlRow) => JsonObject) | undefined,
): FindFew {
  const columns = createColumnReader(engine)

  const define = (lookup: IndexLookup, documents: Documents, statementKind: Kind): Statement<string> => {
    const isLookup = statementKind === 'lookup'
    const select = (p: Parameter<string>): Sql => {
      // Any number of users may share an address, so the statement reads a limited number of rows.
      const limit = sql`limit ${sql.lit(maximumRows + 1)}`
      const record = isLookup ? (kind.recordInLookup ?? kind.record) : kind.record
      const table = sql.table(kind.table)
      // The key of an index contains the value and the identifier.
      const ids = sql`${lookup.find([textParameter], p)} ${limit}`
      const found = engine.rowsFound({ from: table, key: keyOf(kind, p), ids, areDistinct: true })
      const rows =
        lookup.table === kind.table
          ? sql`${table} where ${lookup.condition([textParameter], p)}`
          : sql`${found.from} where ${kind.rows.one(p)} and ${found.where}`
      const document = documents === 'with' ? sql`, ${engine.searchableText(kind.document)} as comparable` : sql``
      return sql`select ${record}${document} from ${rows} ${isLookup ? sql`limit 2` : limit}`
    }
    return compileSql(query, select, statementKind)
  }
  const readings = (lookup: IndexLookup, documents: Documents): Reading => ({
    few: define(lookup, documents, 'lookup'),
    all: define(lookup, documents, 'lasting'),
  })
  const lookups = new Map(
    [...kind.lookups].map(([name, lookup]): [string, FewLookup] => [
      name,
      { rows: lookup.rows, with: readings(lookup, 'with'), without: readings(lookup, 'without') },
    ]),
  )

  /** Reads at most one row and few groups at first, so that the statements of several requests are sent together (ADR 78). */
  async function readRows({ few, all }: Reading, values: FilterValues): Promise<readonly SqlRow[]> {
    const rows = await run(few, values)
    const isComplete = rows.length < 2 && rows.every((row) => hasAllGroups(row, columns))
    return isComplete ? rows : run(all, values)
  }

  return async (filter, owner) => {
    const required = requiredText(filter, lookups)
    if (required === undefined) return undefined
    const { lookup, text } = required
    const values = { ...owner, [textParameter]: text, [keyName(textParameter)]: indexKey(text) }
    // The index alone answers a plain equality.
    if (filter.kind === 'text') return unlessTooMany(await readRows(lookup.without, values))
    if (comparable === undefined) return undefined

    const matches = matchesFilter(filter)
    const found = unlessTooMany(await readRows(lookup.with, values))
    return found?.filter((row) => matches(comparable(row)))
  }
}

/** Whether to read the document that filters compare. */
type Documents = 'with' | 'without'

type Kind = 'lookup' | 'lasting'

/** The statements of a lookup. The rows of the first may be incomplete: it reads at most two, and few of the groups. */
interface Reading {
  readonly few: Statement<string>
  readonly all: Statement<string>
}

/** The statements of an index. Each is compiled when it first runs. */
interface FewLookup extends TextLookup, Readonly<Record<Documents, Reading>> {}

/** Whether a row that a lookup has read has all groups of the user. Most users of most directories are in no group. */
function hasAllGroups(row: SqlRow, columns: ColumnReader): boolean {
  const groups = row.indexByColumn.has('groups') ? columns.text(row, 'groups') : '[]'
  return groups === '[]' || (JSON.parse(groups) as readonly unknown[]).length < groupsInLookup
}

/** Returns the string that every match must have, if few rows are expected to have it. */
function requiredText(
  filter: ResolvedFilter,
  lookups: ReadonlyMap<string, FewLookup>,
): { readonly lookup: FewLookup; readonly text: string } | undefined {
  const [candidate, another] = findCandidates(filter, lookups) ?? []
  if (candidate === undefined || another !== undefined) return undefined
  const [lookup, [text, other]] = candidate
  return text === undefined || other !== undefined || lookup.rows > maximumRows ? undefined : { lookup, text }
}

const unlessTooMany = (rows: readonly SqlRow[]): readonly SqlRow[] | undefined =>
  rows.length > maximumRows ? undefined : rows

/** The parameter's name. */
const textParameter = 'text'

/** With more rows, the database is faster: it reads only the rows of the page. */
const maximumRows = 10
