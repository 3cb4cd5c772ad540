// Measures the time from the start of a server's process to its first response, its memory, and its size:
// `pnpm bench start`.
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'

import { positiveCount, runCommand, selectNamed } from '../../../scripts/command-words.ts'
import { table } from '../../../scripts/reference/markdown-table.ts'
import { startDriver } from '../driver/driver-process.ts'
import type { WorkloadName } from '../driver/workloads.ts'
import { interruption } from '../interruption.ts'
import { environment, median } from '../report.ts'
import { selectTargets, target, type SuiteTarget } from '../suites/suite.ts'
import { packTarget } from './pack-target.ts'
import { startCost, type StartCost } from './started-target.ts'

const account = { rows: 1 } as const
const sqlite = { storage: 'sqlite' } as const
const floor = target('floor: node:http and jose', 'floor/floor.ts')
const floorOnSqlite = target('floor: node:http, jose and SQLite', 'floor/floor.ts', sqlite)
const mintmark = target('Mintmark, memory', 'mintmark/mintmark.ts')
const mintmarkOnSqlite = target('Mintmark, SQLite', 'mintmark/mintmark.ts', sqlite)
/** In each group, the first target is the base of the comparison. */
const groups: readonly { readonly workload: WorkloadName; readonly targets: readonly SuiteTarget[] }[] = [
  {
    workload: 'client credentials',
    targets: [
      floor,
      mintmark,
      mintmarkOnSqlite,
      target('oidc-provider, Map', 'peers/oidc-provider.ts'),
      target('node-oauth, Express, Map', 'peers/node-oauth.ts'),
      target('jmondi, Express, Map', 'peers/jmondi.ts'),
      target('better-auth, SQLite', 'peers/better-auth.ts', sqlite),
    ],
  },
  { workload: 'client credentials', targets: [floorOnSqlite, mintmarkOnSqlite] },
  { workload: 'refresh', targets: [floor, mintmark] },
  { workload: 'refresh', targets: [floorOnSqlite, mintmarkOnSqlite] },
  {
    workload: 'POST user',
    targets: [
      target('floor: node:http and SQLite', 'floor/scim-floor.ts', { ...account, ...sqlite }),
      target('Mintmark SCIM, memory', 'mintmark/mintmark-scim.ts', account),
      target('Mintmark SCIM, SQLite', 'mintmark/mintmark-scim.ts', { ...account, ...sqlite }),
      target('scimmy, Express, Map', 'peers/scimmy-scanning.ts', account),
    ],
  },
]

const usage =
  'Write pnpm bench start [--rounds NUMBER] [--requests NUMBER] [--workload PART OF A NAME] [--target PART OF A NAME].'

const { rounds, requests, selected } = await runCommand(usage, (args) => {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '7' },
      /** The numbers of requests after which the memory is measured again. */
      requests: { type: 'string', multiple: true, default: ['10000'] },
      /** The workload of these requests: client credentials, refresh, or POST user. */
      workload: { type: 'string', default: '' },
      /** Only the targets whose name contains one of these; the floors always run. */
      target: { type: 'string', multiple: true, default: [''] },
    },
  })
  const named = groups.map((group) => ({ ...group, name: group.workload }))
  const ofWorkload = selectNamed('workload', named, [values.workload])
  const targets = new Set(
    selectTargets(
      ofWorkload.flatMap((group) => group.targets),
      values.target,
    ),
  )
  return {
    rounds: positiveCount('--rounds', values.rounds),
    requests: values.requests.map((word) => positiveCount('--requests', word)).toSorted((left, right) => left - right),
    selected: ofWorkload.map(({ workload, targets: all }) => ({
      workload,
      targets: all.filter((one) => targets.has(one)),
    })),
  }
})

const interrupted = interruption()
const driver = startDriver(interrupted)
// The folder is next to the sources, so that modules in it can resolve their dependencies.
const folder = await mkdtemp(join(import.meta.dirname, 'packed-'))
try {
  console.log(environment())
  for (const { workload, targets } of selected) console.log(await startTable(workload, targets))
} catch (error) {
  if (!interrupted.aborted) throw error
  process.exitCode = 130
} finally {
  driver.stop()
  await rm(folder, { recursive: true })
}

async function startTable(workload: WorkloadName, targets: readonly SuiteTarget[]): Promise<string> {
  const costs = targets.map((): StartCost[] => [])
  const files = await Promise.all(
    targets.map(async ({ program }) => packTarget(program, { dependencies: 'outside', folder })),
  )
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, each] of targets.entries()) {
      const load = { file: files[index]?.file ?? '', workload, requests: round === 0 ? requests : [] }
      costs[index]?.push(await startCost(each, load, { driver, interrupted }))
    }
  }
  const base = costs[0] ?? []
  const sizes = await Promise.all(targets.map(sizeOf))
  const rows = targets.map(({ name }, index) =>
    row(name, { costs: costs[index] ?? [], base, size: sizes[index] ?? '' }),
  )
  const head = [
    '',
    'start ms',
    'x floor',
    'CPU ms',
    'x floor',
    'MB after start',
    'x floor',
    ...requests.flatMap((count) => [`MB after ${count} requests`, 'x floor']),
    'bundled kB (gzip)',
  ]
  return `\n### Start and first response to ${workload}, compared with ${targets[0]?.name ?? ''}\n\n${table(head, rows)}`
}

interface Row {
  readonly costs: readonly StartCost[]
  readonly base: readonly StartCost[]
  readonly size: string
}

function row(name: string, { costs, base, size }: Row): readonly string[] {
  const figures: readonly ((cost: StartCost) => number | undefined)[] = [
    ({ milliseconds }) => milliseconds,
    ({ cpuMilliseconds }) => cpuMilliseconds,
    ({ atStart }) => atStart,
    ...requests.map(
      (_, index) =>
        ({ afterLoad }: StartCost) =>
          afterLoad[index],
    ),
  ]
  const cells = figures.flatMap((figure) => {
    const values = costs.map(figure).filter((value) => value !== undefined)
    const ratios = costs
      .map((cost, round) => (figure(cost) ?? Number.NaN) / (figure(base[round] ?? cost) ?? Number.NaN))
      .filter((ratio) => !Number.isNaN(ratio))
    const range = ratios.length === 1 ? '' : ` [${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}]`
    return [median(values).toFixed(0), `${median(ratios).toFixed(2)}${range}`]
  })
  return [name, ...cells, size]
}

async function sizeOf({ program, settings: { storage } }: SuiteTarget): Promise<string> {
  const { text } = await packTarget(program, { dependencies: 'inside', folder, storage })
  return `${(text.length / 1000).toFixed(0)} (${(gzipSync(text).length / 1000).toFixed(0)})`
}
