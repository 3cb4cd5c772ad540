import { sql } from 'kysely'
import { compileSql, type Database, type Parameter, type Statement } from '../database.ts'
import { unionOf } from './candidates.ts'
import { entriesCondition, isBounded, type NarrowMatch } from './narrow-index.ts'

/** Which entries of narrow indexes a statement reads. */
export interface ReadEntries {
  /** Whether the statement reads the whole of an index that has one entry for each row. */
  readonly ofEveryRow: boolean
  /**
   * Whether the statement reads only ranges of indexes. With few comparisons, this is little work even for long ranges.
   */
  readonly areRanges: boolean
  /** Counts the entries of ranges, and of indexes with several entries for a row, up to `entryLimit`. */
  readonly count: Statement<string> | undefined
}

/** The parameter that limits how many entries are counted. */
export const entryLimit = 'entry_limit'

/** Determines which entries of narrow indexes are read to find the matches, and compiles the statement that counts them. */
export function entriesOf(
  { query, engine }: Pick<Database, 'query' | 'engine'>,
  matches: readonly NarrowMatch[],
): ReadEntries {
  const counted = matches.filter((match) => isBounded(match) || match.index.exact === 'several')
  const count = compileSql(
    query,
    (p: Parameter<string>) =>
      sql`select count(*) as units from (select id from (${unionOf(
        counted.map(
          (match) =>
            sql`select ${sql.ref(match.index.id)} as id from ${sql.table(match.index.table)} where ${entriesCondition(match, p)}`,
        ),
      )}) as entry limit ${engine.wholeNumber(sql`${p(entryLimit)}`)}) as counted`,
    'passing',
  )
  return {
    ofEveryRow: counted.length < matches.length,
    areRanges: matches.every(isBounded),
    count: counted.length === 0 ? undefined : count,
  }
}
