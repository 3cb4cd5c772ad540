import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'

import { aFolder } from '../../test/sqlite-under-test.ts'
import { migrateUsage, runMigrateCommand } from './run-command.ts'

/** Runs the command in this process. Returns its exit code, and what it printed. */
async function run(...args: readonly string[]): Promise<{ code: number; output: string; errors: string }> {
  const [log, error] = (['log', 'error'] as const).map((name) => vi.spyOn(console, name).mockImplementation(() => {}))
  onTestFinished(() => void vi.restoreAllMocks())
  const code = await runMigrateCommand(args)
  return { code, output: String(log?.mock.lastCall), errors: String(error?.mock.lastCall) }
}

test.each([['--help'], ['-h'], ['apply', '--help']])('%s prints the usage', async (...args) => {
  expect(await run(...args)).toMatchObject({ code: 0, output: migrateUsage })
})

test('refuses arguments after the command, and runs nothing', async () => {
  const file = join(await aFolderPath(), 'test.db')

  expect(await run('apply', 'now', '--sqlite', file)).toMatchObject({
    code: 2,
    errors: expect.stringMatching(/^Unexpected arguments: now\n/) as string,
  })
  expect(existsSync(file)).toBe(false)
})

test('reports an unknown option in the words of Node.js alone', async () => {
  const { code, errors } = await run('print', '--unknown')

  expect(code).toBe(2)
  expect(errors).toMatch(/^Unknown option '--unknown'/)
})

test('throws an error that it does not expect', async () => {
  const file = join(await aFolderPath(), 'test.db')
  const database = new DatabaseSync(file)
  database.exec('CREATE TABLE mintmark_clients (anything TEXT)')
  database.close()

  await expect(run('apply', '--sqlite', file)).rejects.toThrow('mintmark_clients already exists')
})

async function aFolderPath(): Promise<string> {
  const folder = await aFolder()
  onTestFinished(() => folder.remove())
  return folder.path
}
