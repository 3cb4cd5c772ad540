import { hash } from 'node:crypto'
import type { SqlDialect, SqlEngine } from './dialect.ts'
import { type Migration, migrations } from './migrations/index.ts'
import { createColumnReader } from './row.ts'

/**
 * Applies pending migrations in order, each in one transaction. Two processes may do so at the same time.
 * @returns the names of the migrations that this call applied.
 * @throws SchemaMismatchError `ahead`, `changed` or `unreleased`: nothing was applied. StorageUnavailableError.
 */
export async function migrate({ dialect }: { readonly dialect: SqlDialect }): Promise<readonly string[]> {
  const applied: string[] = []
  for (const script of await findPending(dialect)) {
    if (await apply(dialect, script)) applied.push(script.name)
  }
  return applied
}

/**
 * Returns the names of the migrations that the database lacks.
 * @throws SchemaMismatchError `ahead`, `changed` or `unreleased`. StorageUnavailableError.
 */
export async function pendingMigrations({ dialect }: { readonly dialect: SqlDialect }): Promise<readonly string[]> {
  const pending = await findPending(dialect)
  return pending.map(({ name }) => name)
}

/** Checks the schema before anything else runs. @throws SchemaMismatchError, StorageUnavailableError */
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
    // Another process may have applied it first: then its row in the migration table made this transaction fail.
    const pending = await findPending(dialect)
    if (pending.some(({ number }) => number === script.number)) throw error
    return false
  }
}

async function findPending(dialect: SqlDialect): Promise<readonly MigrationScript[]> {
  const scripts = migrationScripts(dialect.engine)
  const applied = await findApplied(dialect)
  const command = dialect.migrateCommand

  const unreleased = applied.filter((each) =>
    scripts.some(({ number, name }) => number === each.number && name !== each.name),
  )
  if (unreleased.length > 0)
    throw new SchemaMismatchError({ kind: 'unreleased', migrations: unreleased.map(({ name }) => name), command })

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

/**
 * Why the database's schema does not fit this version.
 * - `behind`: migrations are pending.
 * - `ahead`: a newer version has migrated it.
 * - `changed`: it ran a migration of the same name with other statements, so its schema is unknown.
 * - `unreleased`: it ran a migration that no released version has. Versions before the first release had others.
 */
export type SchemaMismatch = 'behind' | 'ahead' | 'changed' | 'unreleased'

/** The schema does not fit, so the storage does not open. The message says which command to run, or what else to do. */
export class SchemaMismatchError extends Error {
  override readonly name = 'SchemaMismatchError'
  readonly kind: SchemaMismatch
  readonly migrations: readonly string[]

  constructor(mismatch: {
    readonly kind: SchemaMismatch
    readonly migrations: readonly string[]
    readonly command: string
  }) {
    super(describe(mismatch))
    this.kind = mismatch.kind
    this.migrations = mismatch.migrations
  }
}

function describe({
  kind,
  migrations,
  command,
}: {
  kind: SchemaMismatch
  migrations: readonly string[]
  command: string
}): string {
  const [first = '', second] = migrations
  const names = second === undefined ? first : `${first} to ${migrations.at(-1)} (${migrations.length} in total)`
  switch (kind) {
    case 'behind':
      return `Run: ${command}. The database lacks the migrations ${names}.`
    case 'ahead':
      return `The database has run the migrations ${names}, which this version does not know. Update @mintmark/storage-sql.`
    case 'changed':
      return `The migrations ${names} of the database differ from those of this version. Restore the released files; do not edit migrations.`
    case 'unreleased':
      return `The database has run the migrations ${names}, which no released version has. Start with an empty database.`
    default:
      return kind satisfies never
  }
}

/** A migration as one engine runs it. */
interface MigrationScript {
  readonly number: number
  readonly name: string
  /** SHA-256 over the statements, hexadecimal. */
  readonly checksum: string
  /** The statements of one transaction. They change the schema and record the migration. */
  readonly statements: readonly string[]
}

export function migrationScripts(engine: SqlEngine): readonly MigrationScript[] {
  return migrations.map((migration) => script(migration, engine))
}

/**
 * Returns the whole schema as SQL, to apply migrations with other tools. It has the statements that `migrate` runs, and the
 * storage accepts a database that was created with it.
 */
export function printMigrations(engine: SqlEngine): string {
  return migrationScripts(engine)
    .map(({ name, statements }) => `-- ${name}\n${engine.types.print(statements)}`)
    .join('\n')
}

/** The table of the migrations that a database has run. */
export const migrationTable = 'mintmark_migrations'

function script({ number, name, statements }: Migration, engine: SqlEngine): MigrationScript {
  const { types } = engine
  const changes = statements(types)
  const checksum = hash('sha256', changes.join('\n;\n'), 'hex')
  // The names and checksums are our own: no quoting is needed.
  const remember = `INSERT INTO ${migrationTable} (number, name, checksum) VALUES (${number}, '${name}', '${checksum}')`
  // Where a failed migration leaves its changes behind, it is recorded last: the next attempt fails at the first of them.
  const recorded = engine.undoesSchemaChanges ? [remember, ...changes] : [...changes, remember]
  return { number, name, checksum, statements: [createMigrationTable(types), ...recorded] }
}

const createMigrationTable = ({ text, integer, table }: SqlEngine['types']): string =>
  `CREATE TABLE IF NOT EXISTS ${migrationTable} (
  number ${integer} PRIMARY KEY,
  name ${text} NOT NULL,
  checksum ${text} NOT NULL,
  applied_at ${text} NOT NULL DEFAULT CURRENT_TIMESTAMP
) ${table}`.trim()
