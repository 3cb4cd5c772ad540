import type { SqlDialect } from '@mintmark/storage-sql'

import { fail, ok, warn, type Finding } from './target.ts'

/** Checks a MariaDB server. Its version was checked when the connection was opened. */
export async function checkMariadb(dialect: SqlDialect): Promise<readonly Finding[]> {
  const settings = await readSettings(dialect)
  return [
    checkPrimary(settings),
    checkSession(settings),
    checkWaits(settings),
    checkStatistics(settings),
    ...(settings.get('wsrep_on') === 'ON' ? [checkConsistency(settings)] : []),
  ]
}

type MariadbSettings = ReadonlyMap<string, string>

/** `replication` is ON if the server copies another one. */
async function readSettings(dialect: SqlDialect): Promise<MariadbSettings> {
  const rows = await dialect.all(
    `SELECT variable_name, variable_value FROM information_schema.session_variables WHERE variable_name IN (
      'READ_ONLY', 'SQL_MODE', 'TX_ISOLATION', 'IDLE_TRANSACTION_TIMEOUT', 'IDLE_WRITE_TRANSACTION_TIMEOUT',
      'INNODB_STATS_PERSISTENT', 'INNODB_STATS_AUTO_RECALC', 'WSREP_ON', 'WSREP_SYNC_WAIT')
    UNION ALL SELECT 'REPLICATION', variable_value FROM information_schema.global_status WHERE variable_name = 'SLAVE_RUNNING'`,
    [],
  )
  return new Map(rows.map(({ values: [name, value] }) => [String(name).toLowerCase(), String(value)]))
}

/** The connection has refused a server that is read-only. A replica that can be written to is as wrong. */
function checkPrimary(settings: MariadbSettings): Finding {
  if (settings.get('replication') !== 'ON')
    return ok(primaryCheck, 'MariaDB accepts writes, and copies no other server.')
  return warn(
    primaryCheck,
    'MariaDB accepts writes, but it is a replica: it lacks what the primary has not sent yet, and its own writes are on no other server.',
    'Connect to the primary, and set read_only on the replicas.',
  )
}

const primaryCheck = 'storage.primary'

/** Checks that a connection keeps what Mintmark sets. A proxy that gives each statement another connection loses it. */
function checkSession(settings: MariadbSettings): Finding {
  const modes = settings.get('sql_mode')?.split(',') ?? []
  const isKept = neededModes.every((mode) => modes.includes(mode)) && settings.get('tx_isolation') === 'READ-COMMITTED'
  if (isKept) return ok(sessionCheck, 'MariaDB keeps the SQL mode and the isolation level of a connection.')
  return fail(
    sessionCheck,
    'MariaDB does not keep the SQL mode and the isolation level that a connection has set.',
    'If there is a proxy between the server and MariaDB, let each connection of a server have a connection of its own.',
  )
}

const sessionCheck = 'storage.session'
const neededModes = ['STRICT_ALL_TABLES', 'ANSI_QUOTES', 'PIPES_AS_CONCAT', 'SIMULTANEOUS_ASSIGNMENT']

/** Checks that an idle transaction ends. Mintmark limits waits for locks itself. */
function checkWaits(settings: MariadbSettings): Finding {
  const limits = ['idle_transaction_timeout', 'idle_write_transaction_timeout']
  if (limits.some((name) => settings.get(name) !== '0')) return ok(waitsCheck, 'MariaDB limits idle transactions.')
  return warn(
    waitsCheck,
    'MariaDB does not limit idle transactions, so the locks of a server that stops answering stay.',
    'Set idle_write_transaction_timeout = 60 in the configuration of MariaDB.',
  )
}

const waitsCheck = 'storage.waits'

function checkStatistics(settings: MariadbSettings): Finding {
  const isUpdated = ['innodb_stats_persistent', 'innodb_stats_auto_recalc'].every((name) => settings.get(name) === 'ON')
  if (isUpdated) return ok(statisticsCheck, 'MariaDB updates its statistics of tables.')
  return warn(
    statisticsCheck,
    'MariaDB does not update its statistics of tables, so statements may read whole tables as these grow.',
    'Set innodb_stats_persistent and innodb_stats_auto_recalc to ON in the configuration of MariaDB.',
  )
}

const statisticsCheck = 'storage.statistics'

/** Checks that a node of a Galera cluster answers only when it has the earlier writes of the other nodes. */
function checkConsistency(settings: MariadbSettings): Finding {
  // https://mariadb.com/kb/en/galera-cluster-system-variables/#wsrep_sync_wait: 1 for reads, 2 for UPDATE and DELETE, 4 for INSERT
  const waits = Number(settings.get('wsrep_sync_wait'))
  if ((waits & allStatements) === allStatements)
    return ok(consistencyCheck, 'Each node of the Galera cluster waits for the earlier writes of the other nodes.')
  return fail(
    consistencyCheck,
    `A node of the Galera cluster does not wait for the earlier writes of the other nodes: wsrep_sync_wait is ${waits}.`,
    'Set wsrep_sync_wait = 7 on each node.',
  )
}

const consistencyCheck = 'storage.consistency'
const allStatements = 7
