import type { Measured } from './measure.ts'
import type { Result } from './plots/plots-of.ts'
import { table } from '../../scripts/reference/markdown-table.ts'
import { median, medianAndRange, ratiosOf, totalCost } from './report.ts'

/** The tables of `docs/performance.md`, as far as their workloads were measured. */
export function pageTables(results: readonly Result[]): string {
  const measured = results.filter(({ suite }) => !suite.name.includes('growth'))
  const [onPostgres, others] = [true, false].map((isOn) =>
    measured.filter(({ suite }) => suite.name.endsWith('PostgreSQL') === isOn),
  )
  const [scim, oauth] = [true, false].map((isScim) =>
    others?.filter(({ suite }) => suite.name.startsWith('SCIM') === isScim),
  )
  return [
    section('OAuth', oauth, oauthColumns),
    section('SCIM', scim, scimColumns),
    section('PostgreSQL, with the CPU time of the database', onPostgres, postgresColumns),
  ].join('')
}

interface Column {
  readonly title: string
  readonly cell: (result: Result) => string
}

function section(title: string, results: readonly Result[] = [], columns: readonly Column[]): string {
  if (results.length === 0) return ''
  const head = ['workload', ...columns.map((column) => column.title)]
  const rows = results.map((result) => [titleOf(result), ...columns.map(({ cell }) => cell(result))])
  return `## ${title}\n\n${table(head, rows)}\n\n`
}

const titleOf = ({ suite, workload }: Result): string =>
  suite.workloads.length === 1 && !suite.name.startsWith('SCIM') ? suite.name.replace(', PostgreSQL', '') : workload

/** The CPU time of a target. */
const cost = (title: string, of: FindTarget): Column => ({
  title,
  cell(result) {
    const row = of(result)
    return row === undefined ? '' : median(row.cpuPerFlow.map(totalCost)).toFixed(0)
  },
})

/** The ratio of two targets in the same round: the median, and the range if it is asked for. */
const ratio = (title: string, [of, base]: readonly [FindTarget, FindTarget], range: 'range' | 'median'): Column => ({
  title,
  cell(result) {
    const [row, floor] = [of(result), base(result)]
    if (row === undefined || floor === undefined) return ''
    const ratios = ratiosOf(row, floor, totalCost)
    return range === 'range' ? medianAndRange(ratios, format) : format(median(ratios))
  },
})

/** Three digits. */
const format = (value: number): string =>
  value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0)

type FindTarget = (result: Result) => Measured | undefined

const named =
  (name: string): FindTarget =>
  ({ measured }) =>
    measured.find((row) => row.name === name)

const beginningWith =
  (name: string): FindTarget =>
  ({ measured }) =>
    measured.find((row) => row.name.startsWith(name))

/** A token that is presented again is compared with an opaque token, which is not verified either. */
const floorInMemory: FindTarget = (result) =>
  result.workload.includes('repeated')
    ? named('floor, memory, opaque')(result)
    : (named('floor, memory')(result) ?? named('floor, constant')(result))

const peer = (name: string, base: FindTarget): Column => ratio(name, [beginningWith(name), base], 'median')

const oauthColumns: readonly Column[] = [
  cost('floor, memory: CPU us', floorInMemory),
  ratio('Mintmark, memory', [named('Mintmark, memory'), floorInMemory], 'range'),
  ratio('relative to our work', [named('Mintmark, memory'), named('floor, our work, memory')], 'range'),
  ratio('Mintmark, SQLite', [named('Mintmark, SQLite'), named('floor, SQLite')], 'range'),
  ratio('relative to our work', [named('Mintmark, SQLite'), named('floor, our work, SQLite')], 'range'),
  ...['oidc-provider', 'node-oauth', 'jmondi', 'better-auth'].map((name) => peer(name, floorInMemory)),
]

const scimFloor = named('floor, SQLite')

const scimColumns: readonly Column[] = [
  cost('floor, SQLite: CPU us', scimFloor),
  ratio('Mintmark, memory', [named('Mintmark, memory'), scimFloor], 'range'),
  ratio('Mintmark, SQLite', [named('Mintmark, SQLite'), scimFloor], 'range'),
  ratio('relative to our work', [named('Mintmark, SQLite'), named('floor, our work, SQLite')], 'range'),
  ratio('our work, SQLite', [named('floor, our work, SQLite'), scimFloor], 'range'),
  ratio('scimmy, index by hand', [named('scimmy, Map with an index by hand'), scimFloor], 'median'),
  ratio('scimmy', [named('scimmy, Map'), scimFloor], 'median'),
]

const postgresColumns: readonly Column[] = [
  cost('floor: CPU us', named('floor, PostgreSQL')),
  ratio('Mintmark', [named('Mintmark, PostgreSQL'), named('floor, PostgreSQL')], 'range'),
  ratio('relative to our work', [named('Mintmark, PostgreSQL'), beginningWith('floor, our')], 'range'),
  ratio('our work', [beginningWith('floor, our'), named('floor, PostgreSQL')], 'range'),
]
