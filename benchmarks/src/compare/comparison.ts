import { median } from '../report.ts'

/** The CPU microseconds per flow in one round, in which both versions took turns. */
export interface Round {
  readonly before: number
  readonly after: number
}

/** All rounds of one workload. */
export interface Comparison {
  readonly title: string
  readonly rounds: readonly Round[]
}

/** The ratio of the CPU time per flow, after to before: the median of all rounds, and their range. */
export interface Ratio {
  readonly median: number
  readonly lowest: number
  readonly highest: number
  /**
   * `slower` or `faster` if the median differs from 1 by 10 % or more, and all rounds agree on the direction. On a
   * busy machine some rounds disagree.
   */
  readonly verdict: 'slower' | 'faster' | 'no clear difference'
}

/** Returns the ratio of a comparison with at least one round. */
export function ratioOf(rounds: readonly Round[]): Ratio {
  const ratios = rounds.map(({ before, after }) => after / before)
  const middle = median(ratios)
  const lowest = Math.min(...ratios)
  const highest = Math.max(...ratios)
  const isSlower = lowest > 1 && middle >= 1.1
  const isFaster = highest < 1 && middle <= 0.9
  return {
    median: middle,
    lowest,
    highest,
    verdict: isSlower ? 'slower' : isFaster ? 'faster' : 'no clear difference',
  }
}

const tableLine = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const columns = ['workload', 'before: CPU us', 'after: CPU us', 'after / before', '']

/** The first two lines of the report. */
export const reportHead = `${tableLine(columns)}\n${tableLine(columns.map(() => '---'))}`

/** Formats a comparison as a line of the report. */
export function reportLine({ title, rounds }: Comparison): string {
  const ratio = ratioOf(rounds)
  return tableLine([
    title,
    median(rounds.map(({ before }) => before)).toFixed(0),
    median(rounds.map(({ after }) => after)).toFixed(0),
    `${ratio.median.toFixed(2)} [${ratio.lowest.toFixed(2)}-${ratio.highest.toFixed(2)}]`,
    ratio.verdict,
  ])
}
