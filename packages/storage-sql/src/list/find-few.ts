import { findCandidates, type JsonObject, matchesFilter, type ResolvedFilter } from '@mintmark/storage-interface'
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { SqlRow } from '../dialect.ts'
import { indexKey } from '../keys.ts'
import { type FilterValues, keyName } from './filter.ts'
import { keyOf, type ListedKind } from './listed-kind.ts'
import type { IndexLookup } from './lookup.ts'
import { createRecentMap } from '../recent-map.ts'
import { compileSql, type Parameter, type Statement } from '../statement.ts'

/**
 * Finds the rows that match a filter. `undefined` when the filter demands no text of which an index can be expected to find few
 * rows, or when there are more.
 * @param owner whose rows they are.
 */
type FindFew = (filter: ResolvedFilter, owner: FilterValues) => Promise<readonly SqlRow[] | undefined>

/**
 * What identity providers ask before they do anything: by an identifier, a name, an address. There is a statement for each index,
 * whatever else filters say; that is tested here, on the few rows that the index found.
 * @param comparable what filters are about, of a row; without it filters that say more than `attribute eq "text"` are not understood.
 */
export function createFindFew(
  { query, engine, run }: Database,
  kind: ListedKind,
  comparable: ((row: SqlRow) => JsonObject) | undefined,
): FindFew {
  const statements = createRecentMap<Statement<string>>({ limit: 2 * kind.lookups.size })

  const compile = (lookup: IndexLookup, documents: Documents): Statement<string> =>
    compileSql(query, (p: Parameter<string>) => {
      // Everybody may have the same address: no more of them are read.
      const limit = sql`limit ${sql.lit(few + 1)}`
      const condition =
        lookup.table === kind.table
          ? lookup.condition([sought], p)
          : sql`${kind.rows.one(p)} and ${engine.keyAmong(keyOf(kind, p), sql`${lookup.find([sought], p)} ${limit}`)}`
      const document = documents === 'with' ? sql`, ${engine.searchableText(kind.document)} as comparable` : sql``
      return sql`select ${kind.record}${document} from ${sql.table(kind.table)} where ${condition} ${limit}`
    })

  const statementFor = (lookup: IndexLookup, documents: Documents): Statement<string> =>
    statements.get(`${documents} ${lookup.table}.${lookup.by}`, () => compile(lookup, documents))

  return async (filter, owner) => {
    const demanded = demandedText(filter, kind)
    if (demanded === undefined) return undefined
    const { lookup, text } = demanded
    const values = { ...owner, [sought]: text, [keyName(sought)]: indexKey(text) }
    // Nothing but an equality: the index has answered it.
    if (filter.kind === 'text') return atMostFew(await run(statementFor(lookup, 'without'), values))
    if (comparable === undefined) return undefined

    const matches = matchesFilter(filter)
    const found = atMostFew(await run(statementFor(lookup, 'with'), values))
    return found?.filter((row) => matches(comparable(row)))
  }
}

/** Whether what filters look into is read. */
type Documents = 'with' | 'without'

/** The text that every match has, where few rows can be expected to have it. */
function demandedText(
  filter: ResolvedFilter,
  { lookups }: ListedKind,
): { readonly lookup: IndexLookup; readonly text: string } | undefined {
  const [candidate, another] = findCandidates(filter, lookups) ?? []
  if (candidate === undefined || another !== undefined) return undefined
  const [lookup, [text, other]] = candidate
  return text === undefined || other !== undefined || lookup.rows > few ? undefined : { lookup, text }
}

const atMostFew = (rows: readonly SqlRow[]): readonly SqlRow[] | undefined => (rows.length > few ? undefined : rows)

/** The name of the text in a statement. */
const sought = 'text'

/** What more rows there are is left to the database, which reads only those of the page. */
const few = 10
