// Weakens guards one at a time and runs the tests that reach each: `pnpm mutation`, see CONTRIBUTING.md. Changes sources
// only in the memory of the test process.
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

import { positiveCount, positiveNumber, runCommand, WrongWordsError } from '../../scripts/command-words.ts'
import { criticalGuards } from './critical-guards.ts'
import {
  findChange,
  findGuard,
  findGuards,
  isNamedBy,
  shuffledChanges,
  weakened,
  type Change,
  type Guard,
  type WeakenedGuard,
} from './guards.ts'
import { createJudge, type Judgement } from './judge-change.ts'
import { type Justification, justifications } from './justifications.ts'
import { measureReachedTests, type SelectedTests } from './reached-tests.ts'
import { runTests } from './run-tests.ts'
import { digestTree } from './tree.ts'
import { createTypeCheck } from './type-check.ts'

interface Task extends WeakenedGuard, SelectedTests {}

interface Result extends Task, Judgement {}

const requiredScore = 0.95

const usage =
  'Write pnpm mutation [NUMBER [SEED] | critical | FILE | FILE:LINE] [--jobs NUMBER] [--seconds NUMBER] [--tests FILE].'

const guards = findGuards(process.cwd())

const { positionals, tests, jobs, budget } = await runCommand(usage, (args) => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      jobs: { type: 'string', default: String(Math.max(1, availableParallelism() - 1)) },
      seconds: { type: 'string', default: '60' },
      tests: { type: 'string', multiple: true },
    },
  })
  const places = isSample(positionals[0]) || positionals[0] === 'critical' ? [] : positionals
  const unknown = places.find((place) => !guards.some((guard) => isAt(guard, place)))
  if (unknown !== undefined) throw new WrongWordsError(`No guard is at ${unknown}.`)
  return {
    positionals,
    tests: values.tests,
    jobs: positiveCount('--jobs', values.jobs),
    budget: positiveNumber('--seconds', values.seconds) * 1000,
  }
})
// Each run of tests adds a listener for the exit of this process, which ends the run.
process.setMaxListeners(process.getMaxListeners() + jobs)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

const tree = digestTree(process.cwd())
const compiles = createTypeCheck(process.cwd())
const misplaced = justifications.flatMap(problemsOf)
for (const problem of misplaced) console.log(`Wrong justification: ${problem}`)

const judge = createJudge({ run: runTests, isEdited: () => digestTree(process.cwd()) !== tree })
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
process.exitCode = isEnough(results) && misplaced.length === 0 ? 0 : 1

function isSample(first = '300'): boolean {
  return /^\d+$/.test(first)
}

/** @param place a file, or `FILE:LINE`. */
function isAt({ file, line }: Guard, place: string): boolean {
  return place === file || place === `${file}:${line}`
}

async function plan([first = '300', seed = '1', ...others]: readonly string[]): Promise<readonly Task[]> {
  if (first === 'critical') return planCriticalGuards()
  const positions = [first, seed, ...others]
  const picked = isSample(first)
    ? pick(Number(first), shuffledChanges(guards, seed))
    : guards
        .filter((guard) => positions.some((place) => isAt(guard, place)))
        .flatMap(weakened)
        .filter(compiles)
  const select =
    tests === undefined ? await measureReachedTests(guards, { workers: jobs, budget }) : await selectTests(tests)
  return picked.map((weakenedGuard) => ({ ...weakenedGuard, ...select(weakenedGuard.guard) }))
}

async function selectTests(tests: readonly string[]): Promise<() => SelectedTests> {
  const milliseconds = await requirePassing(tests)
  return () => ({ tests, milliseconds, leftOut: 0 })
}

/** @returns how long the tests take. */
async function requirePassing(tests: readonly string[]): Promise<number> {
  const { status, milliseconds, ran, failures, output } = await runTests({ tests, workers: jobs })
  const missing = tests.filter((test) => !ran.includes(test))
  if (missing.length > 0) throw new Error(`These files ran no tests: ${missing.join(', ')}\n${output}`)
  if (status !== 'passed') throw new Error(`Tests fail without a change: ${JSON.stringify(failures)}\n${output}`)
  return milliseconds
}

/** Returns the first changes that compile. */
function pick(count: number, from: readonly WeakenedGuard[]): readonly WeakenedGuard[] {
  const picked: WeakenedGuard[] = []
  for (const candidate of from) {
    if (picked.length === count) break
    if (compiles(candidate)) picked.push(candidate)
  }
  return picked
}

async function planCriticalGuards(): Promise<readonly Task[]> {
  const tests = [...new Set(criticalGuards.map(({ test }) => test))]
  const milliseconds = await requirePassing(tests)
  return criticalGuards.flatMap(({ test, ...name }) =>
    weakened(findGuard(guards, name)).map((weakenedGuard) => ({
      ...weakenedGuard,
      tests: [test],
      milliseconds,
      leftOut: 0,
    })),
  )
}

/** Returns the problems of a justification. Runs the type checker only for a sample, because it takes long. */
function problemsOf(justification: Justification): readonly string[] {
  const { file, condition, change } = justification
  try {
    const found = findChange(guards, justification)
    const isTried = !isSample(positionals[0]) || compiles(found)
    return isTried ? [] : [`never tried, because it does not compile: ${file}: ${condition}: ${change}`]
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

async function tryChange(task: Task): Promise<Result> {
  const { guard, change, tests, milliseconds } = task
  const replacements = { [pathToFileURL(resolve(guard.file)).href]: [change] }
  return { ...task, ...(await judge({ tests, replacements, limitMilliseconds: 60_000 + 4 * milliseconds })) }
}

function describe({ status, killer, guard, change, tests, leftOut }: Result): string {
  const more = leftOut === 0 ? '' : `, ${leftOut} more that reach the guard were not run`
  const justified = isJustified(guard, change) ? ', justified' : ''
  const title = `${guard.file}:${guard.line} ${status}${justified} (${tests.length} test files${more})`
  const reason = killer === '' ? '' : `\n    ${killer}`
  return `${title}\n    if (${guard.condition})\n    ${change.name}${reason}`
}

function isJustified(guard: Guard, { name }: Change): boolean {
  return justifications.some((entry) => isNamedBy(guard, entry) && entry.change === name)
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
