import { createRecentMap } from '@mintmark/internal'
import type { ListOutcome } from '@mintmark/storage-interface/stores'
import type { Database, Statement } from '../database.ts'
import { createColumnReader } from '../row.ts'
import { candidateLimit } from './candidate-rows.ts'
import type { PageStart } from './cursor.ts'
import { filterTemplate, type FilterValues } from './filter.ts'
import type { ListedKind } from './listed-kind.ts'
import { createLoadMeter, limitsOf, type PlannedReads, type ReadLimits, readsOf } from './load.ts'
import { pageFormOf, type PageReader, pageValues, type RowQuery } from './page-reader.ts'
import { incompleteIndexes, type ListPlans, type Plan, planList } from './plan.ts'
import { inexactStatement, statementOf } from './statements.ts'

/** The rows to list. */
interface MatchingRows<Record, Query extends RowQuery> {
  readonly kind: ListedKind
  readonly owner: (query: Query) => FilterValues
  readonly totalOf: (query: Query) => Promise<number>
  readonly reader: PageReader<Record>
  readonly scanLimit: number
}

/** The statements of a plan. */
interface PreparedPlan extends PlannedReads {
  readonly kind: Plan['kind']
  readonly page: Statement<string>
  /** Finds a row for which an index of the plan does not have the complete value. */
  readonly inexact: Statement<string> | undefined
}

/** The values of a query, and how much it may read. */
interface Bound {
  readonly start: PageStart
  readonly values: FilterValues
  readonly limits: ReadLimits
}

/** Returns a function that lists rows with a filter or in an order. */
export function createListMatching<Record, Query extends RowQuery>(
  database: Database,
  { kind, owner, totalOf, reader, scanLimit }: MatchingRows<Record, Query>,
): (query: Query, start: PageStart) => Promise<ListOutcome<Record>> {
  const { run, engine } = database
  const columns = createColumnReader(engine)
  const loadOf = createLoadMeter(database)
  const plans = createRecentMap<ListPlans>({ limit: 100, maxKeyLength: longestShape })
  const prepared = createRecentMap<PreparedPlan>({ limit: 100, maxKeyLength: longestShape })

  return async (query, start) => {
    const { filter, sort } = query
    const { template, values } = filter === undefined ? noFilter : filterTemplate(filter, engine.encodeFlag)
    const form = pageFormOf(kind, query, start)
    const bound = { start, values, limits: limitsOf(filter, scanLimit) }
    const selection = JSON.stringify([template, sort])
    const planned = plans.get(selection, () => planList(kind, { filter: template, sort }, engine))
    const prepare = (name: keyof ListPlans, plan: Plan): PreparedPlan => {
      const shape = JSON.stringify([
        name,
        selection,
        query.without,
        form.size !== undefined,
        form.isAfterKey,
        form.isWhole,
      ])
      return prepared.get(shape, () => {
        const incomplete = incompleteIndexes(plan)
        return {
          kind: plan.kind,
          ...readsOf(database, kind, plan),
          page: statementOf(database, kind, { plan, form }),
          inexact: incomplete.length === 0 ? undefined : inexactStatement(database, incomplete),
        }
      })
    }

    const first = prepare('first', planned.first)
    if (planned.ifInexact !== undefined && !(await isExact(first, query)))
      return execute(prepare('ifInexact', planned.ifInexact), query, bound)
    const outcome = await execute(first, query, bound)
    if (outcome.outcome === 'listed' || planned.ifTooMany === undefined) return outcome
    const alternative = prepare('ifTooMany', planned.ifTooMany)
    return (await isExact(alternative, query)) ? execute(alternative, query, bound) : outcome
  }

  async function isExact({ inexact }: PreparedPlan, query: Query): Promise<boolean> {
    return inexact === undefined || (await run(inexact, owner(query), { signal: query.signal })).length === 0
  }

  async function execute(
    plan: PreparedPlan,
    query: Query,
    { start, values, limits }: Bound,
  ): Promise<ListOutcome<Record>> {
    const { signal } = query
    const limit = Math.floor(limits.rows)
    const all = { ...owner(query), ...values, [candidateLimit]: limit + 1 }
    const load = await loadOf(plan, { values: all, limits, signal, total: () => totalOf(query) })
    if (load > 1) return { outcome: 'tooMany' }
    const rows = await run(plan.page, { ...all, ...pageValues(query, start) }, { signal })
    const [row] = rows
    // Too many rows share the value that was looked up.
    if (row === undefined || columns.integer(row, 'looked_at') > limit) return { outcome: 'tooMany' }
    const outcome = reader.toOutcome(rows.filter(reader.hasRecord), query, {
      total: columns.integer(row, 'total'),
      inPage: columns.integer(row, 'in_page'),
      start,
    })
    return load > nearLimit && outcome.outcome === 'listed' ? { ...outcome, isNearLimit: true } : outcome
  }
}

/** Statements for longer filters are compiled each time, because one takes several times the memory of its shape. */
const longestShape = 4096

/** Above this fraction of the limit, the outcome has `isNearLimit`. */
const nearLimit = 0.5

const noFilter = { template: undefined, values: {} }
