import { createColumnReader } from './columns.ts'
import type { SqlDialect } from './dialect.ts'
import { migrationScripts, migrationTable, type MigrationScript } from './migration-script.ts'
import { SchemaMismatchError } from './schema-mismatch.ts'

/**
 * Applies the pending migrations, in order, each in one transaction. Safe beside another process that does the same.
 * @returns the names of those that this call applied.
 * @throws SchemaMismatchError `ahead` or `changed`: nothing was applied. StorageUnavailableError.
 */
export async function migrate({ dialect }: { readonly dialect: SqlDialect }): Promise<readonly string[]> {
  const applied: string[] = []
  for (const script of await findPending(dialect)) {
    if (await apply(dialect, script)) applied.push(script.name)
  }
  return applied
}

/**
 * The names of the migrations that the database lacks.
 * @throws SchemaMismatchError `ahead` or `changed`. StorageUnavailableError.
 */
export async function pendingMigrations({ dialect }: { readonly dialect: SqlDialect }): Promise<readonly string[]> {
  const pending = await findPending(dialect)
  return pending.map(({ name }) => name)
}

/** Makes sure of the schema before anything else is asked of it. @throws SchemaMismatchError, StorageUnavailableError */
export async function ensureSchema(dialect: SqlDialect): Promise<void> {
  if (dialect.migrate === 'on-open') {
    await migrate({ dialect })
    return
  }

  const pending = await pendingMigrations({ dialect })
  if (pending.length > 0)
    throw new SchemaMismatchError({ kind: 'behind', migrations: pending, command: dialect.migrateCommand })
}

async function apply(dialect: SqlDialect, script: MigrationScript): Promise<boolean> {
  try {
    await dialect.atomically(script.statements)
    return true
  } catch (error) {
    // Another process may have been first: its entry in the table of migrations then made ours fail.
    const pending = await findPending(dialect)
    if (pending.some(({ number }) => number === script.number)) throw error
    return false
  }
}

async function findPending(dialect: SqlDialect): Promise<readonly MigrationScript[]> {
  const scripts = migrationScripts(dialect.engine)
  const applied = await findApplied(dialect)
  const command = dialect.migrateCommand

  const unknown = applied.filter(({ number }) => !scripts.some((script) => script.number === number))
  if (unknown.length > 0)
    throw new SchemaMismatchError({ kind: 'ahead', migrations: unknown.map(({ name }) => name), command })

  const changed = scripts.filter((script) =>
    applied.some(({ number, checksum }) => number === script.number && checksum !== script.checksum),
  )
  if (changed.length > 0)
    throw new SchemaMismatchError({ kind: 'changed', migrations: changed.map(({ name }) => name), command })

  return scripts.filter((script) => !applied.some(({ number }) => number === script.number))
}

type Applied = Pick<MigrationScript, 'number' | 'name' | 'checksum'>

async function findApplied(dialect: SqlDialect): Promise<readonly Applied[]> {
  const [table] = await dialect.all(dialect.engine.findTable, [migrationTable])
  if (table === undefined) return []

  const read = createColumnReader(dialect.engine)
  const rows = await dialect.all(`SELECT number, name, checksum FROM ${migrationTable} ORDER BY number`, [])
  return rows.map((row) => ({
    number: read.integer(row, 'number'),
    name: read.text(row, 'name'),
    checksum: read.text(row, 'checksum'),
  }))
}
