import { createAdministration, type Administration, type AdminEvent } from '@mintmark/admin'
import type { AdminStorage } from '@mintmark/storage-interface'
import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { openTarget } from '@mintmark/storage-sql/command'

import { UsageError } from '../command-error.ts'
import type { Io } from '../io.ts'
import { readSettings, type ConfigOptions, type DatabaseAddress, type Settings } from './settings.ts'

/** The storage of a command, and the settings that selected it. */
export interface OpenedConfig {
  readonly storage: AdminStorage
  readonly settings: Settings
}

/**
 * Opens the storage that the options select, and closes it after the work. Does not migrate it or create a file.
 * @throws UsageError if no database or no issuer is given; MigrateCommandError; SchemaMismatchError;
 * StorageUnavailableError.
 */
export async function withStorage<T>(
  options: ConfigOptions,
  io: Io,
  work: (opened: OpenedConfig) => Promise<T>,
): Promise<T> {
  const settings = await readSettings(options, io)
  const { issuer } = settings
  const address = requireDatabase(settings)
  if (issuer === undefined)
    throw new UsageError('No issuer is given. Use --issuer URL, MINTMARK_ISSUER or mintmark.config.json.')
  return withDialect(address, 'status', async (dialect) => {
    const storage = await createSqlStorage({ dialect, issuer })
    await warnOfOtherIssuer(issuer, dialect, io)
    return work({ storage, settings })
  })
}

/** With a mistyped issuer a command would list nothing, or create records that no server uses, and succeed. */
async function warnOfOtherIssuer(issuer: string, dialect: SqlDialect, { err }: Io): Promise<void> {
  const rows = await dialect.all('SELECT DISTINCT issuer FROM mintmark_signing_keys', [])
  const issuers = rows.flatMap(({ values }) => values).map(String)
  if (issuers.length > 0 && !issuers.includes(issuer))
    err(
      `mintmark: The database has no signing keys of ${issuer}, but of ${issuers.slice(0, 3).join(', ')}. Is the issuer right?`,
    )
}

/** @throws UsageError if no database is given. */
export function requireDatabase({ database }: Pick<Settings, 'database'>): DatabaseAddress {
  if (database !== undefined) return database
  throw new UsageError(
    'No database is given. Use --sqlite FILE, --postgres URL, --mariadb URL, or mintmark.config.json, which mintmark init creates.',
  )
}

/**
 * Opens a database, and closes it after the work.
 * @param purpose with `apply`, an SQLite file that does not exist is created.
 */
export async function withDialect<T>(
  address: DatabaseAddress,
  purpose: 'apply' | 'status',
  work: (dialect: SqlDialect) => Promise<T>,
): Promise<T> {
  const target = await openTarget(address, purpose, migrateCommand)
  try {
    return await work({ ...target.dialect, migrateCommand: `npx ${migrateCommand}` })
  } finally {
    await target.close()
  }
}

const migrateCommand = 'mintmark migrate apply'

/**
 * Runs administration with the operator as the actor. Each action is written to the audit log, as with the HTTP API.
 * The host's options, such as custom fields and protected administrators, do not apply here.
 * @throws AdminError, and the errors of `withStorage`.
 */
export const withAdministration = <T>(
  options: ConfigOptions & { readonly setupPath?: string | undefined },
  io: Io,
  work: (administration: Administration) => Promise<T>,
): Promise<T> =>
  withStorage(options, io, ({ storage }) => {
    const { setupPath } = options
    const setup = setupPath === undefined ? {} : { setupPath }
    const administrations = createAdministration({ storage, ...setup, clock: io.clock, onEvent: reportUnlogged(io) })
    return work(administrations.as({ kind: 'host', id: `cli:${io.operator}` }))
  })

/** Reports an action whose audit log entries could not be written. */
const reportUnlogged = (io: Io) => (event: AdminEvent) => {
  if ('logged' in event && event.logged !== 'whole')
    io.err(`mintmark: ${event.type} succeeded, but not all of its audit log entries could be written.`)
}
