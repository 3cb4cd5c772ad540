import type { WorkloadName } from '../driver/workloads.ts'
import type { Measured } from '../measure.ts'
import { median, ratiosOf, totalCost } from '../report.ts'
import type { Suite } from '../suites/suite.ts'
import { barChart, type BarGroup, lineChart, type Line } from './svg.ts'

/** The measurements of one workload of a suite, in the order of its targets. */
export interface Result {
  readonly suite: Suite
  readonly workload: WorkloadName
  readonly measured: readonly Measured[]
}

/** A picture, and the name of its file. */
export interface Plot {
  readonly file: string
  readonly svg: string
}

/**
 * Draws the results: bars if other products were measured, relative to the first floor, and lines if several numbers of
 * rows were measured, relative to the first number. Other results have no plot.
 */
export function plotsOf(results: readonly Result[]): readonly Plot[] {
  const compared = results.filter(({ measured }) => measured.some(({ name }) => !isFloor(name) && !isOwn(name)))
  const [oauth, scim] = [false, true].map((isScim) =>
    compared.filter(({ suite }) => suite.name.startsWith('SCIM') === isScim).map(barsOf),
  )
  const bars = [
    { file: 'peers-oauth.svg', title: 'OAuth: CPU time per flow, floor = 1', groups: oauth ?? [] },
    { file: 'peers-scim.svg', title: 'SCIM: CPU time per request, floor on SQLite = 1', groups: scim ?? [] },
  ].flatMap(({ file, title, groups }) => (groups.length === 0 ? [] : [{ file, svg: barChart(title, groups) }]))
  const lines = (['memory', 'sqlite', 'postgres'] as const).flatMap((storage) => {
    const drawn = results
      .filter(({ suite }) => suite.name.includes('growth') && suite.targets[0]?.settings.storage === storage)
      .map(lineOf)
      .filter(({ points }) => points.length > 1)
    const title = `${titles[storage]}: CPU time per flow by number of grants or users, smallest number = 1`
    return drawn.length === 0 ? [] : [{ file: `growth-${storage}.svg`, svg: lineChart(title, drawn) }]
  })
  return [...bars, ...lines]
}

const titles = { memory: 'Memory', sqlite: 'SQLite', postgres: 'PostgreSQL with the database' } as const

const isFloor = (name: string): boolean => name.startsWith('floor')

const isOwn = (name: string): boolean => name.startsWith('Mintmark')

function barsOf({ suite, workload, measured }: Result): BarGroup {
  const base = measured.find(({ name }) => isFloor(name))
  return {
    title: suite.workloads.length === 1 ? suite.name : workload,
    bars: measured
      .filter(({ name }) => base !== undefined && !isFloor(name))
      .map((row) => ({ label: row.name, value: ratio(row, base ?? row), isOwn: isOwn(row.name) })),
  }
}

function lineOf({ suite, workload, measured }: Result): Line {
  const own = suite.targets.flatMap((target, index) => {
    const row = measured[index]
    return isOwn(target.name) && row !== undefined ? [{ rows: target.settings.rows, row }] : []
  })
  const [base] = own.toSorted((a, b) => a.rows - b.rows)
  return {
    label: workload.replace(', many families', ''),
    points: own.map(({ rows, row }) => ({ x: rows, y: ratio(row, base?.row ?? row) })).toSorted((a, b) => a.x - b.x),
  }
}

const ratio = (row: Measured, base: Measured): number => median(ratiosOf(row, base, totalCost))
