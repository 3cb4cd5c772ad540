// Runs the tests of test/interop and writes docs/compatibility.md from what passed.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

import { compatibilityPage } from './compatibility-page.ts'

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[]
  }[]
}

const folder = mkdtempSync(join(tmpdir(), 'mintmark-compatibility-'))
const reportFile = join(folder, 'report.json')
const vitest = 'node_modules/vitest/vitest.mjs'
const options = ['run', '--config', 'vitest.workspace.ts', '--project', 'flows', 'test/interop/']
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
const { status } = spawnSync(process.execPath, [vitest, ...options, ...reporters], { stdio: 'inherit' })
if (status === 0) {
  const { testResults } = JSON.parse(readFileSync(reportFile, 'utf8')) as Report
  writeFileSync('docs/compatibility.md', compatibilityPage(passedTests(testResults)))
}
rmSync(folder, { recursive: true })
// A page of a run with failures would promise what is not so.
process.exitCode = status ?? 1

function passedTests(results: Report['testResults']): ReadonlyMap<string, readonly string[]> {
  return new Map(
    results.map(({ name, assertionResults }) => [
      basename(name, '.test.ts'),
      assertionResults.filter((test) => test.status === 'passed').map((test) => test.title),
    ]),
  )
}
