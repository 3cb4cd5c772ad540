import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Replacements } from './change-on-load.ts'

export interface TestRun {
  /** Paths of test files, from the first to the last. Without them all that `vitest.mutation.ts` includes. */
  readonly tests?: readonly string[]
  readonly replacements?: Replacements
  /** A folder for what each test file reaches: `record-reached.ts`. */
  readonly reached?: string
  readonly workers?: number
  readonly stopAtFirstFailure?: boolean
  readonly limitMilliseconds?: number
}

export interface TestOutcome {
  readonly status: 'passed' | 'failed' | 'timeout'
  readonly milliseconds: number
  /** The test files that failed, each with its first failed test. */
  readonly failures: readonly { readonly file: string; readonly title: string }[]
}

/** What vitest's reporter `json` writes, as far as it is used. */
interface VitestReport {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

/** Runs tests in a process of their own, with sources replaced in its memory. */
export async function runTests(run: TestRun): Promise<TestOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-mutation-'))
  const report = join(folder, 'report.json')
  const replacements = join(folder, 'replacements.json')
  try {
    writeFileSync(replacements, JSON.stringify(run.replacements ?? {}))
    const startedAt = performance.now()
    const exit = await startVitest(run, { report, replacements })
    const milliseconds = Math.round(performance.now() - startedAt)
    if (exit === 'timeout') return { status: 'timeout', milliseconds, failures: [] }
    if (!existsSync(report)) throw new Error(`vitest wrote no report:\n${exit.output}`)
    const failures = failuresOf(JSON.parse(readFileSync(report, 'utf8')) as VitestReport)
    // Such as when there is no test file: a run without a failed test says nothing about a change.
    if (exit.code !== 0 && failures.length === 0) throw new Error(`vitest failed, and no test did:\n${exit.output}`)
    return { status: exit.code === 0 ? 'passed' : 'failed', milliseconds, failures }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const failuresOf = ({ testResults }: VitestReport): TestOutcome['failures'] =>
  testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name, assertionResults }) => ({
      file: name.slice(process.cwd().length + 1),
      title: assertionResults.find(({ status }) => status === 'failed')?.fullName ?? 'the file as a whole',
    }))

async function startVitest(
  { tests, reached, workers = 1, stopAtFirstFailure = false, limitMilliseconds }: TestRun,
  { report, replacements }: { readonly report: string; readonly replacements: string },
): Promise<'timeout' | { readonly code: number | null; readonly output: string }> {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.mutation.ts', '--reporter', 'json']
  const more = ['--outputFile', report, '--maxWorkers', String(workers), ...(stopAtFirstFailure ? ['--bail', '1'] : [])]
  const child = spawn(process.execPath, [...args, ...more], {
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

  return new Promise((resolve, reject) => {
    const timer =
      limitMilliseconds === undefined
        ? undefined
        : setTimeout(() => {
            // A child without a process id did not start, which is an `error`.
            if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
            resolve('timeout')
          }, limitMilliseconds)
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve({ code, output })
    })
  })
}
