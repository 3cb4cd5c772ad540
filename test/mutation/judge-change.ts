import type { Replacements } from './change-on-load.ts'
import type { TestOutcome, TestRun } from './run-tests.ts'

/** A change, and the tests that have to notice it. */
interface JudgedChange {
  readonly replacements: Replacements
  /** Paths of test files, from the first to the last. */
  readonly tests: readonly string[]
  readonly limitMilliseconds: number
}

export interface Judgement {
  /** `unclear`: the tests fail or hang even without the change, or the tree was edited during the run. */
  readonly status: 'killed' | 'survived' | 'unclear'
  /** The test or error that shows the change. */
  readonly killer: string
}

interface JudgeDependencies {
  readonly run: (run: TestRun) => Promise<TestOutcome>
  /** Whether a source or a test was edited after the changes were planned. */
  readonly isEdited: () => boolean
}

/**
 * Creates a function that decides whether tests notice a change. A failure kills the change if the same tests pass
 * without it. These tests run once, and only up to the file that failed: later files cannot have caused the failure.
 */
export function createJudge({ run, isEdited }: JudgeDependencies): (change: JudgedChange) => Promise<Judgement> {
  const passed = new Set<string>()

  async function pass(command: TestRun & Pick<JudgedChange, 'tests'>): Promise<boolean> {
    const name = command.tests.join('\n')
    if (!passed.has(name) && (await run(command)).status === 'passed') passed.add(name)
    return passed.has(name)
  }

  async function judge({ replacements, ...change }: JudgedChange): Promise<Judgement> {
    const command = { ...change, stopAtFirstFailure: true }
    const { status, failures } = await run({ ...command, replacements })
    if (status === 'passed') return { status: 'survived', killer: '' }
    if (status === 'timeout') return { status: await judgeTimeout(command), killer: 'timeout' }
    const [failure] = failures
    const last = failure === undefined ? -1 : command.tests.indexOf(failure.file)
    const tests = last === -1 ? command.tests : command.tests.slice(0, last + 1)
    const killer = failure === undefined ? 'an error outside of the tests' : `${failure.file}: ${failure.title}`
    return { status: (await pass({ ...command, tests })) ? 'killed' : 'unclear', killer }
  }

  /** Tests that hang kill the change only if they are fast without it, because a busy machine makes tests hang too. */
  async function judgeTimeout(command: TestRun & JudgedLimit): Promise<Judgement['status']> {
    const { status, milliseconds } = await run(command)
    return status === 'passed' && milliseconds < command.limitMilliseconds / 4 ? 'killed' : 'unclear'
  }

  return async (change) => {
    if (change.tests.length === 0) return { status: 'survived', killer: '' }
    const judgement = await judge(change)
    return isEdited() ? { status: 'unclear', killer: 'the tree was edited' } : judgement
  }
}

type JudgedLimit = Pick<JudgedChange, 'limitMilliseconds'>
