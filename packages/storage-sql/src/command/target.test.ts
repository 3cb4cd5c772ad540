import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

import { aFolder } from '../../test/sqlite-under-test.ts'
import { openTarget } from './target.ts'

const migrateCommand = 'mintmark-migrate apply'

test.each([
  ['no database', {}],
  ['two databases', { sqlite: ':memory:', postgres: 'postgres://127.0.0.1:1/none' }],
  ['two servers', { postgres: 'postgres://127.0.0.1:1/none', mariadb: 'mariadb://127.0.0.1:1/none' }],
])('refuses a command that names %s', async (_, options) => {
  await expect(openTarget(options, 'apply', migrateCommand)).rejects.toThrow(
    'apply needs one database: --sqlite FILE, --postgres URL or --mariadb URL',
  )
})

test('creates a file for apply, and not for status', async () => {
  const folder = await aFolder()
  onTestFinished(() => folder.remove())
  const sqlite = join(folder.path, 'test.db')

  await expect(openTarget({ sqlite }, 'status', migrateCommand)).rejects.toThrow(
    `There is no file ${sqlite}: mintmark-migrate apply creates it.`,
  )
  expect(existsSync(sqlite)).toBe(false)

  for (const command of ['apply', 'status'] as const)
    await openTarget({ sqlite }, command, migrateCommand).then((target) => target.close())
  expect(existsSync(sqlite)).toBe(true)
})

test('accepts a database in memory for status', async () => {
  const target = await openTarget({ sqlite: ':memory:' }, 'status', migrateCommand)

  await expect(target.close()).resolves.toBeUndefined()
})
