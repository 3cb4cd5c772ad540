import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

import type { Replacements } from './change-on-load.ts'
import type { Guard } from './guards.ts'
import { runTests } from './run-tests.ts'

/** A test file, with the guards that it reaches. */
interface ReachingTest {
  readonly test: string
  readonly milliseconds: number
  readonly guards: readonly string[]
}

export interface SelectedTests {
  readonly tests: readonly string[]
  /** How long they take without a change. */
  readonly milliseconds: number
  /** The number of other test files that reach the guard but would take too long. */
  readonly leftOut: number
}

export type SelectTests = (guard: Guard) => SelectedTests

const cache = 'node_modules/.cache/mutation/reached.json'

/**
 * Finds which tests reach which guard, by one run of all tests. The result is cached until HEAD changes.
 * @param limits.budget in milliseconds: how long the tests of one change may take in that run.
 */
export async function measureReachedTests(
  guards: readonly Guard[],
  { workers, budget }: { readonly workers: number; readonly budget: number },
): Promise<SelectTests> {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()
  const known = existsSync(cache)
    ? (JSON.parse(readFileSync(cache, 'utf8')) as { commit: string; tests: readonly ReachingTest[] })
    : undefined
  const tests = known?.commit === commit ? known.tests : await measure(guards, workers)
  mkdirSync(dirname(cache), { recursive: true })
  writeFileSync(cache, JSON.stringify({ commit, tests }))
  return (guard) => selectTests(guard, tests, budget)
}

async function measure(guards: readonly Guard[], workers: number): Promise<readonly ReachingTest[]> {
  console.log('Measuring which tests reach which guard: all tests run once.')
  const reached = mkdtempSync(join(tmpdir(), 'mintmark-reached-'))
  try {
    const { status, failures, output } = await runTests({
      reached,
      workers,
      replacements: recordingReplacements(guards),
    })
    if (status === 'failed' && failures.length === 0)
      throw new Error(`vitest failed, although no test failed:\n${output}`)
    for (const { file, title } of failures)
      console.log(`not used, because it fails without a change: ${file}: ${title}`)
    const failed = new Set(failures.map(({ file }) => file))
    return readdirSync(reached)
      .map((name) => JSON.parse(readFileSync(join(reached, name), 'utf8')) as ReachingTest)
      .filter(({ test }) => !failed.has(test))
  } finally {
    rmSync(reached, { recursive: true, force: true })
  }
}

function recordingReplacements(guards: readonly Guard[]): Replacements {
  const replacementsIn = (file: string): Replacements[string] =>
    guards
      .filter((guard) => guard.file === file)
      .toSorted((a, b) => b.start - a.start)
      .map((guard) => ({
        start: guard.start,
        end: guard.end,
        text: `(globalThis.reachedGuards?.add(${JSON.stringify(reachedName(guard))}), ${guard.condition})`,
      }))
  const files = new Set(guards.map(({ file }) => file))
  return Object.fromEntries([...files].map((file) => [pathToFileURL(resolve(file)).href, replacementsIn(file)]))
}

/** Names a guard without its line, which every edit above the guard changes. */
const reachedName = ({ file, within, condition }: Guard): string => `${file}: ${within}: ${condition}`

function selectTests(guard: Guard, all: readonly ReachingTest[], budget: number): SelectedTests {
  const name = reachedName(guard)
  const reaching = all
    .filter(({ guards }) => guards.includes(name))
    // A test file that reaches few guards is more likely to test this one.
    .toSorted((a, b) => distance(a.test, guard) - distance(b.test, guard) || a.guards.length - b.guards.length)
  let milliseconds = 0
  const affordable = reaching.filter((test) => {
    if (milliseconds + test.milliseconds > budget) return false
    milliseconds += test.milliseconds
    return true
  })
  const selected = affordable.length > 0 ? affordable : reaching.slice(0, 1)
  return {
    tests: selected.map(({ test }) => test),
    milliseconds: selected.reduce((sum, test) => sum + test.milliseconds, 0),
    leftOut: reaching.length - selected.length,
  }
}

/** Sorts the test next to the file first, then other tests of its folder, then other tests of its package. */
function distance(test: string, { file }: Guard): number {
  if (test === file.replace(/\.ts$/, '.test.ts')) return 0
  if (dirname(test) === dirname(file)) return 1
  return test.startsWith(`packages/${packageOf(file)}/`) ? 2 : 3
}

const packageOf = (file: string): string => file.split('/')[1] ?? ''
