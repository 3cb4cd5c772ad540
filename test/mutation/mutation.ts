// Weakens guards one at a time and runs the tests that reach each: `pnpm mutation`, see CONTRIBUTING.md. Sources are changed
// in the memory of the test process only.
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

import { criticalGuards } from './critical-guards.ts'
import { findGuards, shuffledChanges, weakened, type Change, type Guard, type WeakenedGuard } from './guards.ts'
import { justifications } from './justifications.ts'
import { measureReachedTests, type SelectedTests } from './reached-tests.ts'
import { runTests } from './run-tests.ts'
import { createTypeCheck } from './type-check.ts'

interface Task extends WeakenedGuard, SelectedTests {}

interface Result extends Task {
  /** Unclear: neither with nor without the change did the tests finish in time. */
  readonly status: 'killed' | 'survived' | 'unclear'
  /** The test that failed. */
  readonly killer: string
}

const requiredScore = 0.95

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: 'string', default: String(Math.max(1, availableParallelism() - 1)) },
    seconds: { type: 'string', default: '60' },
    tests: { type: 'string', multiple: true },
  },
})
const jobs = Number(values.jobs)
const guards = findGuards(process.cwd())
const obsolete = justifications.filter(({ file, condition }) => findGuard(file, condition) === undefined)
for (const { file, condition } of obsolete) console.log(`Justified, but not in the tree: ${file}: ${condition}`)

const tasks = await plan(positionals)
console.log(`${new Set(tasks.map(({ guard }) => guard)).size} guards, weakened in ${tasks.length} ways`)
let done = 0
const results = await mapInParallel(tasks, async (task) => {
  const result = await tryChange(task)
  done += 1
  if (done % 25 === 0) console.log(`${done} of ${tasks.length}`)
  if (result.status !== 'killed') console.log(describe(result))
  return result
})
mkdirSync('node_modules/.cache/mutation', { recursive: true })
writeFileSync('node_modules/.cache/mutation/results.json', JSON.stringify(results, undefined, 2))
process.exitCode = isEnough(results) && obsolete.length === 0 ? 0 : 1

async function plan([first = '300', seed = '1', ...others]: readonly string[]): Promise<readonly Task[]> {
  if (first === 'critical') return planCriticalGuards()
  const isSample = /^\d+$/.test(first)
  const places = [first, seed, ...others]
  const picked = isSample
    ? pick(Number(first), shuffledChanges(guards, seed))
    : guards
        .filter(({ file, line }) => places.includes(file) || places.includes(`${file}:${line}`))
        .flatMap(weakened)
        .filter(createTypeCheck(process.cwd()))
  const { tests } = values
  const select =
    tests === undefined
      ? await measureReachedTests(guards, { workers: jobs, budget: Number(values.seconds) * 1000 })
      : await selectTests(tests)
  return picked.map((one) => ({ ...one, ...select(one.guard) }))
}

async function selectTests(tests: readonly string[]): Promise<() => SelectedTests> {
  const milliseconds = await requirePassing(tests)
  return () => ({ tests, milliseconds, leftOut: 0 })
}

/** @returns how long the tests take. */
async function requirePassing(tests: readonly string[]): Promise<number> {
  const { status, milliseconds, failures } = await runTests({ tests, workers: jobs })
  if (status !== 'passed') throw new Error(`Without a change, tests fail: ${JSON.stringify(failures)}`)
  return milliseconds
}

/** The first changes that compile. */
function pick(count: number, from: readonly WeakenedGuard[]): readonly WeakenedGuard[] {
  const picked: WeakenedGuard[] = []
  const compiles = createTypeCheck(process.cwd())
  for (const one of from) {
    if (picked.length === count) break
    if (compiles(one)) picked.push(one)
  }
  return picked
}

async function planCriticalGuards(): Promise<readonly Task[]> {
  const tests = [...new Set(criticalGuards.map(({ test }) => test))]
  const milliseconds = await requirePassing(tests)
  return criticalGuards.flatMap(({ file, condition, test }) => {
    const guard = findGuard(file, condition)
    if (guard === undefined) throw new Error(`critical-guards.ts names a guard that is gone: ${file}: ${condition}`)
    return weakened(guard).map((one) => ({ ...one, tests: [test], milliseconds, leftOut: 0 }))
  })
}

function findGuard(file: string, condition: string): Guard | undefined {
  return guards.find((guard) => guard.file === file && guard.condition === condition)
}

async function tryChange(task: Task): Promise<Result> {
  const { guard, change, tests, milliseconds } = task
  if (tests.length === 0) return { ...task, status: 'survived', killer: '' }
  const limitMilliseconds = 60_000 + 4 * milliseconds
  const replacements = { [pathToFileURL(resolve(guard.file)).href]: [change] }
  const { status, failures } = await runTests({ tests, replacements, stopAtFirstFailure: true, limitMilliseconds })
  if (status === 'timeout') return { ...task, ...(await judgeTimeout(tests, limitMilliseconds)) }
  const [failure] = failures
  const killer = failure === undefined ? '' : `${failure.file}: ${failure.title}`
  return { ...task, status: status === 'failed' ? 'killed' : 'survived', killer }
}

/** A change that makes tests hang is noticed. A busy machine makes them hang too. */
async function judgeTimeout(
  tests: readonly string[],
  limitMilliseconds: number,
): Promise<Pick<Result, 'status' | 'killer'>> {
  const unchanged = await runTests({ tests, limitMilliseconds })
  const isSlowOnlyWithChange = unchanged.status === 'passed' && unchanged.milliseconds < limitMilliseconds / 4
  return { status: isSlowOnlyWithChange ? 'killed' : 'unclear', killer: 'timeout' }
}

function describe({ status, guard, change, tests, leftOut }: Result): string {
  const more = leftOut === 0 ? '' : `, ${leftOut} more reach it and were not run`
  const justified = isJustified(guard, change) ? ', justified' : ''
  const title = `${guard.file}:${guard.line} ${status}${justified} (${tests.length} test files${more})`
  return `${title}\n    if (${guard.condition})\n    ${change.name}`
}

function isJustified({ file, condition }: Guard, { name }: Change): boolean {
  return justifications.some((one) => one.file === file && one.condition === condition && one.change === name)
}

function isEnough(all: readonly Result[]): boolean {
  const killed = all.filter(({ status }) => status === 'killed').length
  const survived = all.filter(({ status }) => status === 'survived')
  const unexplained = survived.filter(({ guard, change }) => !isJustified(guard, change))
  const score = killed / (killed + survived.length)
  const unclear = all.length - killed - survived.length
  console.log(
    `${killed} killed, ${survived.length} survived (${survived.length - unexplained.length} of them justified), ` +
      `${unclear} unclear: ${(score * 100).toFixed(1)} %`,
  )
  return score >= requiredScore && unexplained.length === 0
}

async function mapInParallel<In, Out>(items: readonly In[], act: (item: In) => Promise<Out>): Promise<readonly Out[]> {
  const left = items.entries()
  const outcomes: Out[] = []
  const work = async (): Promise<void> => {
    for (const [index, item] of left) outcomes[index] = await act(item)
  }
  await Promise.all(Array.from({ length: jobs }, work))
  return outcomes
}
