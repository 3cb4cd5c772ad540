import { table } from '../../scripts/reference/markdown-table.ts'

/** What a statement costs, on average over its calls in a workload. */
export interface StatementCost {
  readonly workload: string
  readonly statement: string
  readonly calls: number
  /** The rows that it read for its result, or wrote. */
  readonly rows: number
  /** Pages of 8 kB that the statement touched, in memory or not. */
  readonly pages: number
  readonly milliseconds: number
}

export interface Growth {
  readonly workload: string
  readonly statement: string
  readonly smaller: StatementCost
  readonly larger: StatementCost
  readonly ratio: number
  readonly isTooMuch: boolean
}

/** Compares the costs of each statement at two sizes. */
export function growthOf(smaller: readonly StatementCost[], larger: readonly StatementCost[]): readonly Growth[] {
  const before = new Map(smaller.map((cost) => [keyOf(cost), cost]))
  return larger.flatMap((cost) => {
    const base = before.get(keyOf(cost))
    if (base === undefined) return []
    const ratio = base.pages === 0 ? 1 : cost.pages / base.pages
    return [
      {
        workload: cost.workload,
        statement: cost.statement,
        smaller: base,
        larger: cost,
        ratio,
        isTooMuch: ratio > allowedRatio && cost.pages - base.pages > pagesOfLevels(cost),
      },
    ]
  })
}

const keyOf = ({ workload, statement }: StatementCost): string => `${workload}\n${statement}`

const allowedRatio = 1.3

/**
 * An index of ten times as many entries has at most one level more, which is one more page for each row that is looked up. A
 * statement also looks up a few rows that are not in its result, such as its client.
 */
const pagesOfLevels = ({ rows }: StatementCost): number => 2 + rows

export function growthTable(growth: readonly Growth[]): string {
  const rows = growth.map(({ workload, statement, smaller, larger, ratio, isTooMuch }) => [
    workload,
    shortened(statement),
    smaller.pages.toFixed(1),
    larger.pages.toFixed(1),
    isTooMuch ? `**${ratio.toFixed(2)}**` : ratio.toFixed(2),
    smaller.milliseconds.toFixed(2),
    larger.milliseconds.toFixed(2),
  ])
  const head = ['workload', 'statement', 'pages, smaller', 'pages, larger', 'ratio', 'ms, smaller', 'ms, larger']
  return table(head, rows)
}

/** The verb and the first table of a statement. */
function shortened(statement: string): string {
  const text = statement.replaceAll(/\s+/g, ' ').replaceAll('"', '').trim()
  const verb = /\b(select|insert|update|delete)\b/i.exec(text)?.[1]?.toLowerCase() ?? text.slice(0, 20)
  const tables = [...new Set([...text.matchAll(/mintmark_(\w+)/g)].map(([, name]) => name))]
  return `${verb} ${tables.slice(0, 3).join(', ')}`
}
