import type { Reporter } from 'vitest/node'

/** Prints one line at the end of a test run, for people and programs: `N passed, N failed, N skipped`. */
export const tallyReporter: Reporter = {
  onTestRunEnd(modules, errors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    const brokenModules = modules.filter((module) => module.errors().length > 0).length
    const failed = count('failed') + brokenModules + errors.length

    process.stdout.write(
      `${count('passed')} passed, ${failed} failed, ${count('skipped') + count('pending')} skipped\n`,
    )
  },
}
