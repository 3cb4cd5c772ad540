import { type MariadbConnection, ReadOnlyServerError, send } from './connection.ts'

/**
 * Gives a new connection the settings that the statements need.
 * @throws UnsupportedServerError, ReadOnlyServerError, and the driver's errors.
 */
export async function prepareSession(connection: MariadbConnection, timeoutMilliseconds: number): Promise<void> {
  const { rows } = await send(connection, `SELECT version(), @@global.read_only, ${replicatesWithGalera}`)
  const [[version, isReadOnly, galera] = []] = rows
  requireMariadb(String(version))
  if (isReadOnly === 1) throw new ReadOnlyServerError()
  await send(connection, `SET SESSION innodb_lock_wait_timeout = ${Math.ceil(timeoutMilliseconds / 1000)}`)
  for (const setting of settings) await send(connection, setting)
  if (galera === 'ON') await send(connection, waitForOtherNodes)
}

/** A MariaDB without Galera may lack the variable. */
const replicatesWithGalera = `(SELECT variable_value FROM information_schema.global_variables WHERE variable_name = 'WSREP_ON')`

/**
 * Reads (1), updates and deletions (2) and insertions (4) wait until this node of Galera has everything that any node has confirmed.
 * Without it, a user who was deactivated through another node would still be active here.
 */
const waitForOtherNodes = 'SET SESSION wsrep_sync_wait = 7'

/**
 * MySQL has no `INSERT … RETURNING`, and evaluates the assignments of an update one after the other.
 * @throws UnsupportedServerError
 */
function requireMariadb(version: string): void {
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)\.\d+-MariaDB/.exec(version) ?? []
  if (Number(major) * 100 + Number(minor) < 1011)
    throw new UnsupportedServerError(`toMariadbDialect needs MariaDB 10.11 or later, and the server is ${version}.`)
}

/** The server is not MariaDB 10.11 or later. */
export class UnsupportedServerError extends TypeError {
  override readonly name = 'UnsupportedServerError'
}

/** The groups of a user are one JSON list. MariaDB cuts a longer one. In bytes. */
const longestList = 1_073_741_824

/** Strings are sorted by this many bytes. An attribute has at most 1,024 characters unless the host allows more. */
const longestSorted = 16_384

/**
 * The settings of each connection. READ COMMITTED: a statement after a lock sees what the last holder of the lock committed. There
 * is no `max_statement_time`: MariaDB 10.11 that ends a statement while it opens a table fails to read the triggers of the
 * table, and then refuses later statements as well.
 */
export const settings: readonly string[] = [
  `SET SESSION sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,ANSI_QUOTES,PIPES_AS_CONCAT,SIMULTANEOUS_ASSIGNMENT',
  NAMES utf8mb4 COLLATE utf8mb4_nopad_bin,
  group_concat_max_len = ${longestList}, max_sort_length = ${longestSorted}`,
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
]
