import { hash } from 'node:crypto'
import type { SqlEngine } from './dialect.ts'
import { migrations, type Migration } from './migrations/index.ts'

/** A migration as one engine runs it. */
export interface MigrationScript {
  readonly number: number
  readonly name: string
  /** SHA-256 over the statements, hexadecimal. */
  readonly checksum: string
  /** Run together or not at all: they change the schema and remember that they did. */
  readonly statements: readonly string[]
}

export function migrationScripts(engine: SqlEngine): readonly MigrationScript[] {
  return migrations.map((migration) => script(migration, engine))
}

/**
 * The whole schema as SQL, for those who apply migrations with tools of their own. It is what `migrate` runs, and the
 * storage accepts a database that was made with it.
 */
export function printMigrations(engine: SqlEngine): string {
  return migrationScripts(engine)
    .map(
      ({ name, statements }) => `-- ${name}\nBEGIN;\n\n${statements.map((text) => `${text};\n`).join('\n')}\nCOMMIT;\n`,
    )
    .join('\n')
}

/** Where a database remembers the migrations that it ran. */
export const migrationTable = 'mintmark_migrations'

function script({ number, name, statements }: Migration, { types }: SqlEngine): MigrationScript {
  const changes = statements(types)
  const checksum = hash('sha256', changes.join('\n;\n'), 'hex')
  // The names and checksums are our own: no quoting is needed.
  const remember = `INSERT INTO ${migrationTable} (number, name, checksum) VALUES (${number}, '${name}', '${checksum}')`
  return { number, name, checksum, statements: [createMigrationTable(types), remember, ...changes] }
}

const createMigrationTable = ({ text, integer, table }: SqlEngine['types']): string =>
  `CREATE TABLE IF NOT EXISTS ${migrationTable} (
  number ${integer} PRIMARY KEY,
  name ${text} NOT NULL,
  checksum ${text} NOT NULL,
  applied_at ${text} NOT NULL DEFAULT CURRENT_TIMESTAMP
) ${table}`.trim()
