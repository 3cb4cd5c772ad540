// Compares the CPU time per request of this tree with an earlier revision, in the same run: `pnpm bench compare
// [REVISION]`. The default is the last release before HEAD, or the first parent if nothing was released.
import { join } from 'node:path'

import { startDriver } from '../driver/driver-process.ts'
import { interruption } from '../interruption.ts'
import { environment } from '../report.ts'
import { oauthMintmark } from '../suites/oauth-suites.ts'
import { scimMintmark } from '../suites/scim-suites.ts'
import { parseCompareOptions, type CompareOptions } from './compare-options.ts'
import { reportHead, reportLine, type Comparison } from './comparison.ts'
import { checkOut, findRevision } from './earlier-tree.ts'
import { compareTarget, titleOf, type ComparedTarget } from './compare-target.ts'

const repository = join(import.meta.dirname, '../../..')

const oauthWorkloads = ['code + PKCE', 'refresh', 'introspection, repeated'] as const
const scimWorkloads = ['PATCH active', 'POST user'] as const

/** The most frequent requests, which depend on most of the code. If the time is short, the first ones are measured. */
const targets: readonly ComparedTarget[] = [
  { target: oauthMintmark('memory'), storage: 'memory', workloads: oauthWorkloads },
  { target: scimMintmark('SQLite', { storage: 'sqlite', rows: 1000 }), storage: 'SQLite', workloads: scimWorkloads },
  { target: oauthMintmark('SQLite', { storage: 'sqlite' }), storage: 'SQLite', workloads: oauthWorkloads },
  { target: scimMintmark('memory', { rows: 1000 }), storage: 'memory', workloads: scimWorkloads },
]

try {
  await compare(parseCompareOptions(process.argv.slice(2)))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function compare(options: CompareOptions): Promise<void> {
  const selected = select(options.workload)
  const revision = await findRevision(options.revision, repository)
  console.log(`${environment()}\nbefore: ${revision.description}\n\n${reportHead}`)
  const stopped = interruption()
  const interrupted =
    options.seconds === undefined ? stopped : AbortSignal.any([stopped, AbortSignal.timeout(options.seconds * 1000)])
  const measured = new Set<string>()
  try {
    await measureAll(selected, {
      effort: options.effort,
      interrupted,
      checkedOut: async () => checkOut(revision, { repository, interrupted }),
      done: (comparison) => {
        measured.add(comparison.title)
        console.log(reportLine(comparison))
      },
    })
  } catch (error) {
    if (!interrupted.aborted) throw error
  }
  const titles = selected.flatMap((compared) => compared.workloads.map((workload) => titleOf(workload, compared)))
  const missing = titles.filter((title) => !measured.has(title))
  if (missing.length > 0) console.log(`\nnot measured, because the time was over: ${missing.join('; ')}`)
  if (stopped.aborted) process.exitCode = 130
}

/** Returns the targets with the workloads whose title contains the text. */
function select(part: string): readonly ComparedTarget[] {
  const selected = targets
    .map((compared) => ({
      ...compared,
      workloads: compared.workloads.filter((workload) => titleOf(workload, compared).includes(part)),
    }))
    .filter(({ workloads }) => workloads.length > 0)
  if (selected.length === 0) throw new Error(`No workload contains ${JSON.stringify(part)} in its title.`)
  return selected
}

interface MeasuringAll {
  readonly effort: CompareOptions['effort']
  readonly interrupted: AbortSignal
  readonly checkedOut: () => ReturnType<typeof checkOut>
  readonly done: (comparison: Comparison) => void
}

async function measureAll(
  selected: readonly ComparedTarget[],
  { effort, interrupted, checkedOut, done }: MeasuringAll,
): Promise<void> {
  const tree = await checkedOut()
  const driver = startDriver(interrupted)
  try {
    const trees = { before: tree.folder, after: repository }
    for (const each of selected) await compareTarget(each, { effort, trees, driver, interrupted, done })
  } finally {
    driver.stop()
    await tree.remove()
  }
}
