import { createSqlStorage, type SqlDialect } from '@mintmark/storage-sql'
import { openTarget } from '@mintmark/storage-sql/command'
import type { AdminStorage } from '@mintmark/storage-interface'

import { UsageError } from '../command-error.ts'
import type { Io } from '../io.ts'
import type { ConfigOptions } from './place-options.ts'
import { readSettings, type DatabaseAddress, type Settings } from './settings.ts'

/** A storage that a command works on, and what was said about it. */
export interface OpenedConfig {
  readonly storage: AdminStorage
  readonly settings: Settings
}

/**
 * Opens the storage that the options name, and closes it after the work. It is not migrated, and no file is made.
 * @throws UsageError when no database or no issuer is named; CommandRefused, SchemaMismatchError, StorageUnavailableError.
 */
export async function withStorage<T>(
  options: ConfigOptions,
  io: Io,
  work: (place: OpenedConfig) => Promise<T>,
): Promise<T> {
  const settings = await readSettings(options, io)
  const { issuer } = settings
  const address = requireDatabase(settings)
  if (issuer === undefined)
    throw new UsageError('No issuer is named: --issuer URL, MINTMARK_ISSUER or mintmark.config.json.')
  return withDialect(address, 'status', async (dialect) =>
    work({ storage: await createSqlStorage({ dialect, issuer }), settings }),
  )
}

/** @throws UsageError */
export function requireDatabase({ database }: Settings): DatabaseAddress {
  if (database !== undefined) return database
  throw new UsageError(
    'No database is named: --sqlite FILE, --postgres URL, or mintmark.config.json (mintmark init writes one).',
  )
}

/**
 * Opens a database, and closes it after the work.
 * @param purpose `apply` makes the file of SQLite where there is none.
 */
export async function withDialect<T>(
  address: DatabaseAddress,
  purpose: 'apply' | 'status',
  work: (dialect: SqlDialect) => Promise<T>,
): Promise<T> {
  const target = await openTarget(address, purpose, migrateCommand)
  try {
    return await work({ ...target.dialect, migrateCommand })
  } finally {
    await target.close()
  }
}

const migrateCommand = 'mintmark migrate apply'
