import type { ResolvedFilter } from '@mintmark/storage-interface'
import { comparisonsOf } from '@mintmark/storage-interface/stores'
import { sql } from 'kysely'
import { compileSql, type Database, type Parameter, type Statement } from '../database.ts'
import type { Sql } from '../json-search.ts'
import { createColumnReader } from '../row.ts'
import { candidateTable, fromCandidates } from './candidate-rows.ts'
import type { FilterValues } from './filter.ts'
import type { ListedKind } from './listed-kind.ts'
import type { CandidatesPlan, Plan } from './plan.ts'
import { entriesOf, entryLimit, type ReadEntries } from './read-entries.ts'

type Builder = Pick<Database, 'query' | 'engine'>

/** What a list may read with a filter. */
export interface ReadLimits {
  readonly comparisons: number
  /** The number of ordinary rows. */
  readonly rows: number
  /** The number of entries of indexes. */
  readonly entries: number
}

/** @param scanLimit how many ordinary rows a list may read one by one. */
export function limitsOf(filter: ResolvedFilter | undefined, scanLimit: number): ReadLimits {
  const work = filter === undefined ? 1 : comparisonsOf(filter, rowCosts)
  const comparisons = filter === undefined ? 1 : Math.max(1, comparisonsOf(filter, entryCosts))
  return {
    comparisons,
    rows: scanLimit / Math.max(1, work / ordinaryComparisons),
    entries: (scanLimit * entriesOfRow) / comparisons,
  }
}

/** This many comparisons with a row are as much work as reading the row. */
const ordinaryComparisons = 5

/** Unnesting a list is as much work as a few comparisons. */
const rowCosts = { list: 4, equalities: 'each' } as const

/** An entry of an index has one value. */
const entryCosts = { list: 0, equalities: 'each' } as const

/** Reading a row is as much work as reading this many entries of an index and comparing each once. */
const entriesOfRow = 100

/** What a plan reads before its page is known. */
export interface PlannedReads {
  readonly entries: ReadEntries
  /** Sums the work of reading the rows. */
  readonly units: Statement<string> | undefined
}

/** Determines what a plan reads, and compiles the statements that measure it. */
export function readsOf(builder: Builder, kind: ListedKind, plan: Plan): PlannedReads {
  switch (plan.kind) {
    case 'ordered':
      return { entries: entriesOf(builder, []), units: undefined }
    case 'everything':
      return { entries: entriesOf(builder, []), units: sizeStatement(builder, kind) }
    case 'covered': {
      const { index } = plan.match
      const match =
        plan.entries === 'several' ? { ...plan.match, index: { ...index, exact: 'several' as const } } : plan.match
      return { entries: entriesOf(builder, [match]), units: undefined }
    }
    case 'intersected':
      // Each of these indexes has at most one entry for each row.
      return { entries: { ofEveryRow: true, areRanges: false, count: undefined }, units: undefined }
    case 'candidates':
      return { entries: entriesOf(builder, plan.matches), units: unitsOfCandidates(builder, kind, plan) }
    default:
      return plan satisfies never
  }
}

/** Sums the work of reading all rows: one unit for each row, and more for a large row. */
const sizeStatement = ({ query, engine }: Builder, kind: ListedKind): Statement<string> =>
  compileSql(
    query,
    (p: Parameter<string>) =>
      sql`select ${engine.wholeNumber(sql`coalesce(sum(${unitsOfRow(kind)}), 0)`)} as units from ${sql.table(kind.table)} where ${kind.rows.every(p)}`,
    'passing',
  )

const unitsOfCandidates = (
  { query, engine }: Builder,
  kind: ListedKind,
  { query: candidates }: CandidatesPlan,
): Statement<string> =>
  compileSql(
    query,
    (p: Parameter<string>) => sql`with ${candidateTable(candidates(p), engine, p)}
      summed as (select sum(${unitsOfRow(kind)}) as units ${fromCandidates(kind, engine, p)})
      select ${engine.wholeNumber(sql`coalesce(units, 0)`)} as units from summed`,
    'passing',
  )

/** Returns the work of reading a row: one unit, and more if the row is large. */
const unitsOfRow = ({ size }: ListedKind): Sql => sql`1 + ${size} / 2048`

/** A query whose work is measured. */
export interface Measured {
  readonly values: FilterValues
  readonly limits: ReadLimits
  readonly signal: AbortSignal | undefined
  /** Returns the number of all rows. */
  readonly total: () => Promise<number>
}

/**
 * Returns a function that measures the work of a plan as a fraction of the allowed work: more than 1 is too much (RFC 7644
 * §3.12 tooMany).
 */
export function createLoadMeter({
  run,
  engine,
}: Database): (plan: PlannedReads & Pick<Plan, 'kind'>, query: Measured) => Promise<number> {
  const columns = createColumnReader(engine)

  return async (plan, query) => {
    switch (plan.kind) {
      case 'ordered':
        return 0
      case 'everything': {
        const ofTotal = (await query.total()) / query.limits.rows
        return ofTotal > 1 ? ofTotal : Math.max(ofTotal, await loadOfRows(plan, query))
      }
      case 'covered':
      case 'intersected':
      case 'candidates': {
        const ofEntries = await loadOfEntries(plan, query)
        return ofEntries > 1 ? ofEntries : Math.max(ofEntries, await loadOfRows(plan, query))
      }
      default:
        return plan.kind satisfies never
    }
  }

  async function loadOfRows({ units }: PlannedReads, query: Measured): Promise<number> {
    return units === undefined ? 0 : (await unitsOf(units, query.values, query)) / query.limits.rows
  }

  async function loadOfEntries(
    { entries: { ofEveryRow, areRanges, count } }: PlannedReads,
    { values, limits, signal, total }: Measured,
  ): Promise<number> {
    if (areRanges && limits.comparisons <= ordinaryComparisons) return 0
    const wholeIndexes = ofEveryRow ? (await total()) / limits.entries : 0
    // Counting an entry takes a fraction of the time of many comparisons with it.
    if (count === undefined || wholeIndexes > 1) return wholeIndexes
    const most = Math.ceil(limits.entries) + 1
    return wholeIndexes + (await unitsOf(count, { ...values, [entryLimit]: most }, { signal })) / limits.entries
  }

  async function unitsOf(
    statement: Statement<string>,
    values: FilterValues,
    { signal }: Pick<Measured, 'signal'>,
  ): Promise<number> {
    const [row] = await run(statement, values, { signal })
    return row === undefined ? 0 : columns.integer(row, 'units')
  }
}
