import { cpus } from 'node:os'

import type { Measured } from './measure.ts'

/** What the figures were made on. */
export const environment = (): string => `Node ${process.versions.node}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`

/** A suite as a table: CPU time per flow, and its ratio to every floor of the same round, as median and range. */
export function ratioTable(name: string, measured: readonly Measured[]): string {
  const floors = measured.filter((row) => row.name.startsWith('floor'))
  const head = ['', 'CPU us', ...floors.map((floor) => `x ${floor.name}`), 'per s']
  const rows = measured.map((row) => [
    row.name,
    median(row.cpuPerFlow).toFixed(0),
    ...floors.map((floor) => ratio(row, floor)),
    row.flowsPerSecond.toFixed(0),
  ])
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return `### ${name}\n\n${lines.join('\n')}\n`
}

function ratio(row: Measured, floor: Measured): string {
  const ratios = row.cpuPerFlow.map((cpu, round) => cpu / (floor.cpuPerFlow[round] ?? Number.NaN))
  return `${median(ratios).toFixed(2)} [${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}]`
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? (sorted[middle] ?? Number.NaN) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}
