import { existsSync } from 'node:fs'
import { pendingMigrations } from '../../migrate.ts'
import { openMariadb } from '../mariadb-target.ts'
import { MigrateCommandError } from '../migrate-command-error.ts'
import { type CommandTarget, type DatabaseNames, openPostgres, openTarget, using } from '../target.ts'
import { type CopiedTable, copyRows, type CopySource, type CopyTarget } from './copied-rows.ts'
import { mariadbSource, mariadbTarget } from './mariadb-copy.ts'
import { postgresSource, postgresTarget } from './postgres-copy.ts'
import { sqliteSource, sqliteTarget } from './sqlite-copy.ts'

/**
 * Copies all tables of a database to an empty database.
 * @param from the file or URL of the source.
 * @param to the file or URL of the target.
 * @throws MigrateCommandError if an SQLite file is in use, the target is not empty, or one of the two databases does not have the
 * current schema. Then nothing was written.
 */
export async function copyDatabase({
  from,
  to,
}: {
  readonly from: string
  readonly to: string
}): Promise<readonly CopiedTable[]> {
  return using(await open(namesOf(from)), async (source) =>
    using(await open(namesOf(to)), async (target) => {
      if (source.isBehind || target.isBehind)
        throw new MigrateCommandError('Both databases must have the current schema: run apply on each of them first')
      return using(await source.read(), async (read) =>
        using(await target.write(), (written) => copyRows(read, written)),
      )
    }),
  )
}

/** Reads an address: `postgres://…`, `mariadb://…`, or else the path of an SQLite file. */
function namesOf(address: string): DatabaseNames {
  if (/^postgres(ql)?:/i.test(address)) return { postgres: address }
  return /^(mariadb|mysql):/i.test(address) ? { mariadb: address } : { sqlite: address }
}

/** A database that a copy can read or write. */
interface CopiedDatabase {
  /** Whether migrations are pending. */
  readonly isBehind: boolean
  read(): CopySource | Promise<CopySource>
  write(): CopyTarget | Promise<CopyTarget>
  close(): void | Promise<void>
}

async function open({ sqlite = '', postgres, mariadb }: DatabaseNames): Promise<CopiedDatabase> {
  if (postgres !== undefined) {
    const target = await openPostgres(postgres)
    const { pool } = target
    return { ...(await opened(target)), read: () => postgresSource(pool), write: () => postgresTarget(pool) }
  }
  if (mariadb !== undefined) {
    const target = await openMariadb(mariadb)
    const { pool } = target
    return { ...(await opened(target)), read: () => mariadbSource(pool), write: () => mariadbTarget(pool) }
  }
  return openFile(sqlite)
}

/** Closes the database if it cannot be used. */
async function opened(target: CommandTarget): Promise<Pick<CopiedDatabase, 'isBehind' | 'close'>> {
  try {
    return { isBehind: await isBehind(target), close: () => target.close() }
  } catch (error) {
    await target.close()
    throw error
  }
}

async function openFile(file: string): Promise<CopiedDatabase> {
  const pending = await using(await openTarget({ sqlite: file }, 'status', 'apply'), isBehind)
  // The last process to close a file removes its write-ahead log: if it is still there, another process has the file
  // open.
  if (existsSync(`${file}-wal`))
    throw new MigrateCommandError(
      `Another process has ${file} open: stop every server and every job that uses it first`,
    )
  return { isBehind: pending, read: () => sqliteSource(file), write: () => sqliteTarget(file), close: () => {} }
}

async function isBehind({ dialect }: CommandTarget): Promise<boolean> {
  const pending = await pendingMigrations({ dialect })
  return pending.length > 0
}
