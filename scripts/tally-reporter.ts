import { writeFileSync } from 'node:fs'

import type { Reporter, TestModule } from 'vitest/node'

/**
 * Prints one line at the end of a test run, for people and programs: `N passed, N failed, N skipped`. Writes the counts and
 * the failed files as JSON to the file that MINTMARK_TEST_REPORT names.
 */
export const tallyReporter: Reporter = {
  onTestRunEnd(modules, errors) {
    const count = (state: string) => modules.reduce((sum, module) => sum + countOf(module, state), 0)
    const failedFiles = modules
      .map((module) => ({ path: module.relativeModuleId, failed: failuresOf(module) }))
      .filter(({ failed }) => failed > 0)
    const failed = failedFiles.reduce((sum, file) => sum + file.failed, 0) + errors.length
    const [passed, skipped] = [count('passed'), count('skipped') + count('pending')]

    process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`)
    const report = process.env['MINTMARK_TEST_REPORT']
    if (report !== undefined) writeFileSync(report, JSON.stringify({ passed, failed, skipped, failedFiles }))
  },
}

const countOf = (module: TestModule, state: string): number =>
  [...module.children.allTests()].filter((test) => test.result().state === state).length

/** A file that cannot be loaded counts as one failure, and so does a group whose preparation fails: its tests are skipped. */
const failuresOf = (module: TestModule): number =>
  countOf(module, 'failed') + [module, ...module.children.allSuites()].filter((each) => each.errors().length > 0).length
