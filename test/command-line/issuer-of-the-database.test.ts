import { createStoredKeys } from '@mintmark/core'
import { createSqlStorage } from '@mintmark/storage-sql'
import { openTarget } from '@mintmark/storage-sql/command'
import { expect, test } from 'vitest'

import { emptyDatabaseOfTheRun } from '../../packages/storage-sql/test/support/mariadb-of-the-run.ts'
import { aDatabase } from '../../packages/storage-sql/test/support/postgres-of-the-run.ts'
import { aCommandLine } from './command-line.ts'

test.for([
  { engine: 'sqlite', open: () => Promise.resolve('the.db') },
  { engine: 'postgres', open: async () => (await aDatabase()).url },
  { engine: 'mariadb', open: emptyDatabaseOfTheRun },
] as const)(
  'on $engine, a command recognizes the issuer of the database, warns of another one, and init keeps its keys',
  async ({ engine, open }) => {
    const line = await aCommandLine()
    const address = await open()
    const flag = [`--${engine}`, engine === 'sqlite' ? `${line.folder}/${address}` : address] as const
    await line.run('migrate', 'apply', ...flag)
    const list = (issuer: string) => line.run('client', 'list', '--json', '--issuer', issuer, ...flag)
    const before = await list('https://as.test')
    await createKeys(flag)

    const right = await list('https://as.test')
    const wrong = await list('https://as.tst')
    const init = await line.run('init', '--issuer', 'https://as.test', ...flag)

    expect([before.err, right.err, wrong.code, wrong.out]).toEqual(['', '', 0, '[]'])
    expect(wrong.err).toBe(
      'mintmark: The database has no signing keys of https://as.tst, but of https://as.test. Is the issuer right?',
    )
    expect(init.out).toContain('The database already contains signing keys.')
  },
)

/** Creates the signing keys of https://as.test, as its server does. */
async function createKeys([flag, address]: readonly [string, string]): Promise<void> {
  const target = await openTarget({ [flag.slice(2)]: address }, 'status', 'migrate')
  const { dialect } = target
  const storage = await createSqlStorage({ dialect, issuer: 'https://as.test' })
  await createStoredKeys({ storage, sealingKey: 'A'.repeat(43) }).rotate()
  await target.close()
}
