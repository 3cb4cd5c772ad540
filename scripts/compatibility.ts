// Runs the tests in test/interop and the clients in test/foreign-clients, and writes docs/compatibility.md from the
// results.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

import { compatibilityPage, type ForeignOutcomes } from './compatibility-page.ts'

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
const tests = spawnSync(process.execPath, [vitest, ...options, ...reporters], { stdio: 'inherit' })
const outcomesFile = join(folder, 'foreign-clients.json')
const command = ['--conditions=@mintmark/source', 'test/foreign-clients/main.ts', '--report', outcomesFile]
const clients = spawnSync(process.execPath, command, { stdio: 'inherit' })
// After a run with failures, the page would make false claims.
const succeeded = tests.status === 0 && clients.status === 0
if (succeeded) {
  const { testResults } = JSON.parse(readFileSync(reportFile, 'utf8')) as Report
  const outcomes = JSON.parse(readFileSync(outcomesFile, 'utf8')) as ForeignOutcomes
  writeFileSync('docs/compatibility.md', compatibilityPage(passedTests(testResults), outcomes))
}
rmSync(folder, { recursive: true })
process.exitCode = succeeded ? 0 : 1

function passedTests(results: Report['testResults']): ReadonlyMap<string, readonly string[]> {
  return new Map(
    results.map(({ name, assertionResults }) => [
      basename(name, '.test.ts'),
      assertionResults.filter((test) => test.status === 'passed').map((test) => test.title),
    ]),
  )
}
