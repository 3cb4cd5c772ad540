import { cpus, loadavg } from 'node:os'

import { table } from '../../scripts/reference/markdown-table.ts'
import type { FlowCost, Measured } from './measure.ts'

/** Describes the machine and the version of Node. */
export const environment = (): string =>
  `Node ${process.versions.node}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, load ${loadavg()[0]?.toFixed(1) ?? ''}`

/**
 * Formats a suite as a table: the CPU time per flow, and its ratio to every floor in the same round and to Mintmark
 * with the fewest rows, as median and range. If the database is a separate process, its time is in a second column, and
 * a second ratio includes both.
 */
export function ratioTable(name: string, measured: readonly Measured[]): string {
  const smallest = measured.find((row) => /^Mintmark, \d/.test(row.name))
  const bases = measured.filter((row) => row.name.startsWith('floor') || row === smallest)
  const hasDatabase = measured.some(({ cpuPerFlow }) => cpuPerFlow.some(({ database }) => database > 0))
  const head = [
    '',
    'CPU us',
    ...(hasDatabase ? ['database us'] : []),
    ...bases.flatMap((base) => [`x ${base.name}`, ...(hasDatabase ? ['with database'] : [])]),
    'per s',
  ]
  const rows = measured.map((row) => [
    row.name,
    median(row.cpuPerFlow.map(server)).toFixed(0),
    ...(hasDatabase ? [median(row.cpuPerFlow.map(({ database }) => database)).toFixed(0)] : []),
    ...bases.flatMap((base) => [ratio(row, base, server), ...(hasDatabase ? [ratio(row, base, totalCost)] : [])]),
    row.flowsPerSecond.toFixed(0),
  ])
  return `### ${name}\n\n${table(head, rows)}\n`
}

const server = (cost: FlowCost): number => cost.server

/** The CPU time of the server and of the database's own processes. */
export const totalCost = (cost: FlowCost): number => cost.server + cost.database

function ratio(row: Measured, base: Measured, part: (cost: FlowCost) => number): string {
  return medianAndRange(ratiosOf(row, base, part), (value) => value.toFixed(2))
}

/** Formats the median and the range of values, such as `1.05 [1.04-1.09]`. */
export const medianAndRange = (values: readonly number[], format: (value: number) => string): string =>
  `${format(median(values))} [${format(Math.min(...values))}-${format(Math.max(...values))}]`

/** Returns the ratio of the costs in each round. */
export const ratiosOf = (row: Measured, base: Measured, part: (cost: FlowCost) => number): readonly number[] =>
  row.cpuPerFlow.map((cost, round) => part(cost) / part(base.cpuPerFlow[round] ?? { server: Number.NaN, database: 0 }))

/** Returns the middle value, or the mean of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}
