// Measures the CPU time of the server per request, as a ratio to hand-written floors: `pnpm bench`, or for a short run
// `pnpm bench --quick`.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { positiveCount, runCommand } from '../../scripts/command-words.ts'
import { startDriver } from './driver/driver-process.ts'
import { interruption } from './interruption.ts'
import { measure, type Effort } from './measure.ts'
import { pageTables } from './page-tables.ts'
import { plotsOf, type Result } from './plots/plots-of.ts'
import { benchPostgres } from './postgres.ts'
import { environment, ratioTable } from './report.ts'
import { allSuites, selectSuites } from './suites/suites.ts'

const usage =
  'Write pnpm bench [--quick] [--rows NUMBER] [--suite PART OF A NAME] [--workload PART OF A NAME] [--target PART OF A NAME] ' +
  '[--profile FOLDER] [--plots FOLDER].'

const { values, selected } = await runCommand(usage, (args) => {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      /** The numbers of rows in the growth suites. */
      rows: { type: 'string', multiple: true, default: ['1000', '100000'] },
      /** Only the suites whose name contains one of these. */
      suite: { type: 'string', multiple: true, default: [''] },
      /** In suites with several workloads, only those whose name contains this. */
      workload: { type: 'string', default: '' },
      /** Only the targets whose name contains one of these; the floors always run. */
      target: { type: 'string', multiple: true, default: [''] },
      /** A folder for the CPU profiles of all targets. */
      profile: { type: 'string' },
      /** A folder for pictures of the results: bars for other products, lines for growth. */
      plots: { type: 'string' },
    },
  })
  const rows = values.rows.map((word) => positiveCount('--rows', word))
  return { values, selected: selectSuites(allSuites(rows), values) }
})

const effort: Effort = values.quick
  ? { connections: 32, warmUp: { flows: 40_000, milliseconds: 6000 }, rounds: 3, windows: 8, window: 100 }
  : { connections: 32, warmUp: { flows: 60_000, milliseconds: 10_000 }, rounds: 5, windows: 16, window: 150 }

console.log(`${environment()}\n`)
const interrupted = interruption()
const driver = startDriver(interrupted)
const postgres = benchPostgres()
const results: Result[] = []
try {
  for (const suite of selected) {
    const { name } = suite
    await measure(
      suite,
      {
        effort,
        done: (workload, measured) => {
          console.log(ratioTable(suite.workloads.length === 1 ? name : `${name}: ${workload}`, measured))
          results.push({ suite, workload, measured })
        },
      },
      { driver, postgres, profileFolder: values.profile, interrupted },
    )
  }
} catch (error) {
  if (!interrupted.aborted) throw error
  process.exitCode = 130
} finally {
  driver.stop()
  await postgres.stop()
  console.log(`${environment()}\n\n${pageTables(results)}`)
  if (values.plots !== undefined) await writePlots(values.plots)
}

async function writePlots(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const { file, svg } of plotsOf(results)) {
    await writeFile(join(folder, file), svg)
    console.log(`wrote ${join(folder, file)}`)
  }
}
