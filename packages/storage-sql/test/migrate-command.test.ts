import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSqlStorage } from '@mintmark/storage-sql'
import { sqlite, openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { printMigrations } from '@mintmark/storage-sql/command'
import { aFolder } from './sqlite-under-test.ts'
import { migrationNames as all } from './support/migration-names.ts'

test('mintmark-migrate print prints the whole schema and changes nothing', async () => {
  const { code, output } = await mintmarkMigrate('print', '--dialect', 'sqlite')

  expect(code).toBe(0)
  expect(output.trim()).toBe(printMigrations(sqlite).trim())
})

test('mintmark-migrate apply migrates a file, and status reports pending migrations', async () => {
  const file = await aFile()

  const result = await mintmarkMigrate('status', '--sqlite', file)
  expect(result.code).toBe(2)
  expect(result.errors).toMatch(/^There is no file \S+: mintmark-migrate apply creates it\.\n/)
  expect(existsSync(file)).toBe(false)
  await openSqliteDialect(file).close()
  expect(await mintmarkMigrate('status', '--sqlite', file)).toMatchObject({
    code: 1,
    output: all.map((name) => `Pending: ${name}.\n`).join(''),
  })
  expect(await mintmarkMigrate('apply', '--sqlite', file)).toMatchObject({
    code: 0,
    output: all.map((name) => `Applied ${name}.\n`).join(''),
  })
  expect(await mintmarkMigrate('apply', '--sqlite', file)).toMatchObject({ code: 0, output: 'Nothing to apply.\n' })
  expect(await mintmarkMigrate('status', '--sqlite', file)).toMatchObject({ code: 0, output: 'Up to date.\n' })

  const dialect = openSqliteDialect(file)
  onTestFinished(() => dialect.close())
  await expect(createSqlStorage({ dialect, issuer: 'https://issuer.example' })).resolves.toBeDefined()
})

test.for([
  [],
  ['fly'],
  ['apply'],
  ['copy', '--from', 'there.db'],
  ['apply', '--mariadb', 'mariadb://127.0.0.1'],
  ['copy', '--from', 'there.db', '--to', 'mariadb://127.0.0.1/none?password=hush'],
  ['print', '--dialect', 'other'],
  ['print', '--unknown'],
])('mintmark-migrate %s is rejected with a reason and no stack trace', async (args) => {
  const { code, output, errors } = await mintmarkMigrate(...args)

  expect(code).toBe(2)
  expect(output).toBe('')
  expect(errors).not.toBe('')
  expect(errors).not.toMatch(/^\s+at /m)
})

test('mintmark-migrate says that PostgreSQL needs the package pg', async () => {
  const withoutDriver = `import { registerHooks } from 'node:module'
    const resolve = (name, context, next) => next(name === 'pg' ? 'pg-is-not-installed' : name, context)
    registerHooks({ resolve })`
  const { code, errors } = await onNode(
    ['--import', `data:text/javascript,${encodeURIComponent(withoutDriver)}`],
    ['status', '--postgres', 'postgres://127.0.0.1/none'],
  )

  expect(code).toBe(2)
  expect(errors).toMatch(/^The package pg cannot be loaded\. PostgreSQL needs it: npm install pg\n/)
})

test('mintmark-migrate names the Node version that it needs if Node has no node:sqlite', async () => {
  const { code, output, errors } = await onNode(['--no-experimental-sqlite'], ['print'])

  expect({ code, output }).toEqual({ code: 1, output: '' })
  expect(errors).toMatch(/^mintmark-migrate needs node:sqlite, which Node has since 22\.13: this is Node [\d.]+\.\n$/)
})

async function aFile(): Promise<string> {
  const folder = await aFolder()
  onTestFinished(() => folder.remove())
  return join(folder.path, 'test.db')
}

interface ExitResult {
  readonly code: unknown
  readonly output: string
  readonly errors: string
}

const mintmarkMigrate = (...args: readonly string[]): Promise<ExitResult> => onNode([], args)

async function onNode(nodeOptions: readonly string[], args: readonly string[]): Promise<ExitResult> {
  const script = fileURLToPath(new URL('../src/migrate-command.ts', import.meta.url))
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--conditions=@mintmark/source', ...nodeOptions, script, ...args],
      (error, output, errors) => resolve({ code: error?.code ?? 0, output, errors }),
    )
  })
}
