// Runs clients in other languages against real servers: `pnpm foreign-clients`, `pnpm foreign-clients --only go-oidc`.
// A client whose download or toolchain is missing is listed as not run. The command fails if a client runs and fails.
import { spawnSync } from 'node:child_process'
import { accessSync, constants, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { parseArgs } from 'node:util'

import { chosenName, positiveNumber, runCommand } from '../../scripts/command-words.ts'
import { foreignClients } from './foreign-clients.ts'
import { runClient, type Outcome } from './run-client.ts'

const usage = 'Write pnpm foreign-clients [--only FOLDER] [--minutes NUMBER] [--report FILE] [--verbose].'

const { values, minutes, selected } = await runCommand(usage, (args) => {
  const { values } = parseArgs({
    args,
    options: {
      /** Only the clients of these folders. */
      only: { type: 'string', multiple: true },
      /** The time after which no client is downloaded, built or started. */
      minutes: { type: 'string', default: '10' },
      /** A file for the outcomes, as JSON. */
      report: { type: 'string' },
      /** Prints what each program wrote. */
      verbose: { type: 'boolean', default: false },
    },
  })
  const folders = foreignClients.map(({ folder }) => folder)
  const only = (values.only ?? folders).map((folder) => chosenName('--only', folders, folder))
  return {
    values,
    minutes: positiveNumber('--minutes', values.minutes),
    selected: foreignClients.filter(({ folder }) => only.includes(folder)),
  }
})
const signal = AbortSignal.timeout(minutes * 60_000)
// The script prints what it installs. A client whose toolchain it cannot install is not run.
spawnSync(process.execPath, ['scripts/system.mjs', 'foreign-clients'], { stdio: 'inherit', timeout: 4 * 60_000 })

let lastDownload: Promise<unknown> = Promise.resolve()
const limits = {
  signal,
  isOnPath,
  exclusively: <T>(download: () => Promise<T>): Promise<T> => {
    const result = lastDownload.then(download)
    lastDownload = result.catch(() => undefined)
    return result
  },
}

const queue = [...selected]
const outcomes: Record<string, Outcome> = {}
await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work))

const ran = Object.values(outcomes).filter((outcome) => outcome.kind === 'ran')
const failed = ran.filter(({ problems }) => problems.length > 0)
console.log(
  `\n${ran.length - failed.length} clients passed, ${failed.length} failed, ${selected.length - ran.length} not run`,
)
if (values.report !== undefined) writeFileSync(values.report, JSON.stringify(outcomes, null, 2))
process.exitCode = failed.length > 0 ? 1 : 0

async function work(): Promise<void> {
  for (let client = queue.shift(); client !== undefined; client = queue.shift()) {
    const startedAt = performance.now()
    const outcome = await runClient(client, limits)
    outcomes[client.folder] = outcome
    const seconds = `${Math.round((performance.now() - startedAt) / 1000)} s`
    console.log(summary(client.name, outcome, seconds))
  }
}

function summary(name: string, outcome: Outcome, seconds: string): string {
  if (outcome.kind === 'not run') return `not run: ${name} (${outcome.reason})`
  const { version, results, problems, log } = outcome
  const passed = results.filter(({ failure }) => failure === undefined).length
  const counts = `${passed} of ${results.length} checks, ${seconds}`
  const details = values.verbose || problems.length > 0 ? [log] : []
  return [
    `${problems.length === 0 ? 'passed' : 'FAILED'}: ${name} ${version} (${counts})`,
    ...results.map(({ title, failure }) => (failure === undefined ? `  ✓ ${title}` : `  ✗ ${title}: ${failure}`)),
    ...problems.map((problem) => `  problem: ${problem}`),
    ...details,
  ].join('\n')
}

function isOnPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      // The program is not in this folder, or not executable: try the next folder.
      return false
    }
  })
}
