import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

import type { Replacements } from './change-on-load.ts'

export interface TestRun {
  /** Paths of test files in the order in which they run; by default all files that `vitest.mutation.ts` includes. */
  readonly tests?: readonly string[]
  readonly replacements?: Replacements
  /** The folder in which `record-reached.ts` writes the guards that each test file reaches. */
  readonly reached?: string
  readonly workers?: number
  readonly stopAtFirstFailure?: boolean
  readonly limitMilliseconds?: number
}

export interface TestOutcome {
  readonly status: 'passed' | 'failed' | 'timeout'
  readonly milliseconds: number
  /** The test files that ran. */
  readonly ran: readonly string[]
  /** The test files that failed, each with its first failed test. Empty if an error occurred outside of the tests. */
  readonly failures: readonly { readonly file: string; readonly title: string }[]
  /** The output of vitest. */
  readonly output: string
}

/** The used part of the report of vitest's reporter `json`. */
interface VitestReport {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

/** Runs tests in a separate process, with sources replaced in its memory. */
export async function runTests(run: TestRun): Promise<TestOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-mutation-'))
  const report = join(folder, 'report.json')
  const replacements = join(folder, 'replacements.json')
  try {
    writeFileSync(replacements, JSON.stringify(run.replacements ?? {}))
    const startedAt = performance.now()
    const { exit, output } = await startVitest(run, { report, replacements })
    const milliseconds = Math.round(performance.now() - startedAt)
    const results = existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')) as VitestReport).testResults : []
    const status = exit === 'timeout' ? 'timeout' : exit === 0 ? 'passed' : 'failed'
    return { status, milliseconds, ran: results.map(fileOf), failures: failuresOf(results), output }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

type VitestResults = VitestReport['testResults']

const fileOf = ({ name }: VitestResults[number]): string => relative(process.cwd(), name)

const failuresOf = (results: VitestResults): TestOutcome['failures'] =>
  results
    .filter(({ status }) => status === 'failed')
    .map((result) => ({
      file: fileOf(result),
      title: result.assertionResults.find(({ status }) => status === 'failed')?.fullName ?? 'the file as a whole',
    }))

async function startVitest(
  { tests, reached, workers = 1, stopAtFirstFailure = false, limitMilliseconds }: TestRun,
  { report, replacements }: { readonly report: string; readonly replacements: string },
): Promise<{ readonly exit: 'timeout' | number | null; readonly output: string }> {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.mutation.ts']
  // The reporter `json` leaves out errors outside of tests.
  const reporters = ['--reporter', 'json', '--outputFile', report, '--reporter', 'dot']
  const more = ['--maxWorkers', String(workers), ...(stopAtFirstFailure ? ['--bail', '1'] : [])]
  const child = spawn(process.execPath, [...args, ...reporters, ...more], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group, so that the workers stop too.
    detached: true,
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: 'node_modules/.cache/compiled',
      MINTMARK_REPLACEMENTS: replacements,
      ...(tests === undefined ? {} : { MINTMARK_TEST_FILES: tests.join('\n') }),
      ...(reached === undefined ? {} : { MINTMARK_REACHED: reached }),
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))

  const kill = (): void => {
    // A child without a process id did not start; the event `error` reports this.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  }
  // Otherwise the process group would outlive this process.
  process.once('exit', kill)
  return new Promise<Awaited<ReturnType<typeof startVitest>>>((resolve, reject) => {
    const timer =
      limitMilliseconds === undefined
        ? undefined
        : setTimeout(() => {
            kill()
            resolve({ exit: 'timeout', output })
          }, limitMilliseconds)
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve({ exit: code, output })
    })
  }).finally(() => process.off('exit', kill))
}
