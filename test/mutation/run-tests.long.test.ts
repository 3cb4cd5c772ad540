import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

import { runTests } from './run-tests.ts'

test('reports an error outside of the tests as a failure, with the output of vitest', async () => {
  const outcome = await runTests({ tests: ['test/mutation/fixtures/unhandled-error.ts'] })

  expect(outcome).toMatchObject({ status: 'failed', failures: [] })
  expect(outcome.output).toContain('Nobody handles this.')
})

test('lists the files that ran, which shows when one is missing', async () => {
  const outcome = await runTests({ tests: ['test/mutation/guards.test.ts', 'test/mutation/not-there.test.ts'] })

  expect(outcome).toMatchObject({ status: 'passed', ran: ['test/mutation/guards.test.ts'] })
})

test('the tests end with the process that runs them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-run-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'process')
  const program = `import { runTests } from './test/mutation/run-tests.ts'
    process.once('SIGTERM', () => process.exit(1))
    await runTests({ tests: ['test/mutation/fixtures/blocked.ts'] })`
  const parent = spawn(process.execPath, ['--input-type=module-typescript', '--eval', program], {
    env: { ...process.env, MINTMARK_PROCESS_FILE: file },
  })
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toMatch(/^\d+$/)
  const worker = Number(readFileSync(file, 'utf8'))

  parent.kill('SIGTERM')
  await once(parent, 'exit')

  await expect.poll(() => isRunning(worker)).toBe(false)
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    // There is no such process.
    return false
  }
}
