import { createSqlStorage, migrate } from '@mintmark/storage-sql'
import { postgres, toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { expect, onTestFinished, test } from 'vitest'
import { migrationScripts } from '../src/migrate.ts'
import { migrationNames as all } from './support/migration-names.ts'
import { aDatabase } from './support/postgres-of-the-run.ts'

const issuer = 'https://issuer.example'

test.for(migrationScripts(postgres))('migrates a PostgreSQL database that stopped at $name', async (last) => {
  const database = await aDatabase()
  onTestFinished(() => database.remove())
  const dialect = toPostgresDialect(database.pool())
  const before = migrationScripts(postgres).filter(({ number }) => number <= last.number)
  for (const { statements } of before) await dialect.atomically(statements)

  expect(await migrate({ dialect })).toEqual(all.slice(last.number))
  await expect(createSqlStorage({ dialect, issuer })).resolves.toBeDefined()
})
