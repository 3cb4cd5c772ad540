import { clientId } from '@mintmark/storage-interface'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { sqliteFile } from '@mintmark/storage-sql/sqlite'
import { expect, it } from 'vitest'

it('docs/performance.md: a storage builds a statement when it is first needed, and once', async () => {
  const { dialect, built } = countingStatements(sqliteFile(':memory:', { migrate: 'on-open' }))
  const storage = await createSqlStorage({ dialect, issuer: 'https://issuer.example' })
  const atStart = built()

  await storage.clients.find(clientId('one'))
  await storage.clients.find(clientId('another'))

  expect(atStart).toBe(0)
  expect(built()).toBe(1)
  await dialect.close()
})

/** The dialect, and how many statements Kysely has written for it. */
function countingStatements(dialect: SqlDialect): { readonly dialect: SqlDialect; readonly built: () => number } {
  let count = 0
  const { kysely } = dialect.engine
  const counting: typeof kysely = {
    ...kysely,
    createQueryCompiler: () => {
      const compiler = kysely.createQueryCompiler()
      return {
        compileQuery: (...query) => {
          count += 1
          return compiler.compileQuery(...query)
        },
      }
    },
  }
  return { dialect: { ...dialect, engine: { ...dialect.engine, kysely: counting } }, built: () => count }
}
