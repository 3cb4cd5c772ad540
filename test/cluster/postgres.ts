// Breaks a PostgreSQL cluster under load: `pnpm cluster postgres [--minutes 15] [--seed 1] [--fault part of a name] [--keep]
// [--patroni path] [--direct]`.
import { migrate, createSqlStorage } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { Pool } from 'pg'

import { issuer } from '../processes/server-config.ts'
import { insertFixtures, type ProcessSite } from '../processes/test-database.ts'
import { createMachine, removeLeftovers } from './machine.ts'
import { patroniOfDebian, patroniRequirements, startPatroniCluster } from './patroni.ts'
import { postgresFaults } from './postgres-faults.ts'
import { reasonNotToRun } from './requirements.ts'
import { clusterOptions, report, runCluster, type ClusterOptions, type ClusterResult } from './run-cluster.ts'
import { startServersWithFaults } from './server-faults.ts'

const reason = reasonNotToRun(patroniRequirements)
if (reason === undefined) process.exitCode = report(await runPostgresCluster(clusterOptions()))
else console.log(reason)

async function runPostgresCluster(options: ClusterOptions): Promise<ClusterResult> {
  const { log } = options
  await removeLeftovers()
  const machine = await createMachine('postgres')
  log(`logs and data are in ${machine.folder}`)
  try {
    const cluster = await startPatroniCluster(
      machine,
      options.patroni === undefined ? patroniOfDebian : { program: options.patroni, protocol: 'etcd3' },
    )
    log('three hosts with PostgreSQL, Patroni and etcd, HAProxy, and PgBouncer in transaction mode have started')
    const site = await openSite(options.direct ? cluster.urlWithoutPooler : cluster.url)
    const { database } = site
    const { servers, faults } = await startServersWithFaults([database, database, database], {
      folder: machine.folder,
      log,
    })
    const { untilWhole } = cluster
    try {
      return await runCluster({ site, servers, untilWhole, faults: postgresFaults(cluster, faults) }, options)
    } finally {
      for (const server of servers) await server.kill()
      await site.close()
    }
  } finally {
    await machine.remove({ keepFolder: options.keep })
  }
}

/** Migrates the database through PgBouncer, as the servers use it. */
async function openSite(url: string): Promise<ProcessSite> {
  const pool = new Pool({ connectionString: url, max: 4 })
  const dialect = toPostgresDialect(pool)
  await migrate({ dialect })
  const storage = await createSqlStorage({ dialect, issuer })
  return {
    database: { engine: 'postgres', url },
    ...(await insertFixtures(storage)),
    storage,
    close: () => pool.end(),
  }
}
