import { clientId } from '@mintmark/storage-interface'
import {
  aClientRecord,
  aCodeRecord,
  aFamilyRecord,
  aGrantRecord,
  aPresentation,
  aProviderRecord,
  aUser,
} from '@mintmark/storage-interface/fixtures'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { openSqliteDialect } from '@mintmark/storage-sql/sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { aMigratedDatabase } from './support/postgres-of-the-run.ts'

it('builds each statement once, when it is first needed', async () => {
  const { dialect, built } = countingStatements(openSqliteDialect(':memory:', { migrate: 'on-open' }))
  const storage = await createSqlStorage({ dialect, issuer: 'https://issuer.example' })
  const atStart = built()

  await storage.clients.find(clientId('one'))
  await storage.clients.find(clientId('another'))

  expect(atStart).toBe(0)
  expect(built()).toBe(1)
  await dialect.close()
})

it('PostgreSQL returns a whole record as one column, because each result repeats the names of its columns', async () => {
  const database = await aMigratedDatabase()
  onTestFinished(() => database.remove())
  const { dialect, columnCounts } = countingColumns(toPostgresDialect(database.pool()))
  const storage = await createSqlStorage({ dialect, issuer: 'https://issuer.example' })
  const [code, grant] = [aCodeRecord(), aGrantRecord()]
  await storage.clients.insert(aClientRecord())
  await storage.users.insert(aUser())
  await storage.grants.insert(grant)
  await storage.codes.insert(code)
  await storage.families.insert(aFamilyRecord())
  await storage.identityProviders.insert(aProviderRecord())
  columnCounts.length = 0

  await storage.clients.find(aClientRecord().clientId)
  await storage.users.find(aUser().userId)
  await storage.grants.findUnrevoked(grant.userId, grant.clientId)
  await storage.codes.consume(code.digest, code.clientId, code.issuedAt)
  await storage.families.rotate(aPresentation('refresh-1', 'refresh-2'))
  await storage.identityProviders.find(aProviderRecord().providerId)

  expect(columnCounts).toEqual([1, 1, 1, 1, 1, 1])
})

/** Returns the dialect, and how many columns each result had. */
function countingColumns(dialect: SqlDialect): { readonly dialect: SqlDialect; readonly columnCounts: number[] } {
  const columnCounts: number[] = []
  const all: SqlDialect['all'] = async (...statement) => {
    const rows = await dialect.all(...statement)
    columnCounts.push(rows[0]?.indexByColumn.size ?? 0)
    return rows
  }
  return { dialect: { ...dialect, all }, columnCounts }
}

/** Returns the dialect, and how many statements Kysely has compiled for it. */
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
