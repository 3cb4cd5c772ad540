import { pendingMigrations, SchemaMismatchError, type SqlDialect } from '@mintmark/storage-sql'

import { fail, ok, type Finding } from './finding.ts'

/** Whether the database has the schema of this version. */
export async function checkMigrations(dialect: SqlDialect): Promise<Finding> {
  try {
    const pending = await pendingMigrations({ dialect })
    if (pending.length === 0) return ok(check, 'The database has the schema of this version.')
    return fail(check, `The database lacks ${pending.join(', ')}.`, 'Run mintmark migrate apply.')
  } catch (error) {
    if (!(error instanceof SchemaMismatchError)) throw error
    return fail(
      check,
      `The database has another schema: ${error.migrations.join(', ')}.`,
      'Use the version of Mintmark that made it, or a later one.',
    )
  }
}

const check = 'storage.migrations'
