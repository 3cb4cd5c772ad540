// Server CPU time per request, as ratios to floors written by hand: `pnpm bench`, `pnpm bench -- --quick`.
import { parseArgs } from 'node:util'

import { startDriver } from './driver/driver-process.ts'
import { environment, ratioTable } from './report.ts'
import { measure, type Effort } from './measure.ts'
import { suites } from './suites.ts'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--'),
  options: {
    quick: { type: 'boolean', default: false },
    /** Only the suites whose name contains this. */
    suite: { type: 'string', default: '' },
    /** Only the targets whose name contains one of these; floors are always there. */
    target: { type: 'string', multiple: true, default: [''] },
    /** A folder for CPU profiles of every target. */
    profile: { type: 'string' },
  },
})

const effort: Effort = values.quick
  ? { connections: 32, warmUp: 700, rounds: 3, windows: 8, window: 100 }
  : { connections: 32, warmUp: 1500, rounds: 5, windows: 16, window: 150 }

console.log(`${environment()}\n`)
const driver = startDriver()
try {
  for (const suite of suites.filter(({ name }) => name.includes(values.suite))) {
    const isWanted = (target: string): boolean => values.target.some((part) => target.includes(part))
    const targets = suite.targets.filter(({ name }) => name.startsWith('floor') || isWanted(name))
    console.log(ratioTable(suite.name, await measure({ ...suite, targets }, effort, { driver, profileFolder: values.profile })))
  }
} finally {
  driver.stop()
}
