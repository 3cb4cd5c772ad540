// Breaks MariaDB Galera under load: `pnpm cluster galera [--minutes 15] [--seed 1] [--fault part of a name] [--keep]
// [--writers all|one]`.
import { createSqlStorage, migrate } from '@mintmark/storage-sql'
import { toMariadbDialect } from '@mintmark/storage-sql/mariadb'
import { createPool } from 'mysql2'

import { issuer } from '../processes/server-config.ts'
import { insertFixtures, type ProcessSite } from '../processes/test-database.ts'
import { galeraFaults } from './galera-faults.ts'
import { galeraRequirements, startGaleraCluster } from './galera-nodes.ts'
import { createMachine, removeLeftovers } from './machine.ts'
import { reasonNotToRun } from './requirements.ts'
import { clusterOptions, report, runCluster, type ClusterOptions, type ClusterResult } from './run-cluster.ts'
import { startServersWithFaults } from './server-faults.ts'

const reason = reasonNotToRun(galeraRequirements)
if (reason === undefined) process.exitCode = report(await runGaleraCluster(clusterOptions()))
else console.log(reason)

async function runGaleraCluster(options: ClusterOptions): Promise<ClusterResult> {
  const { log, writers } = options
  await removeLeftovers()
  const machine = await createMachine('mysql')
  log(`logs and data are in ${machine.folder}`)
  try {
    const cluster = await startGaleraCluster(machine)
    log(`three hosts with MariaDB, and HAProxy, have started; ${writers} of the nodes may be written`)
    const site = await openSite(cluster.urlOfOne)
    const databases = cluster.urls.map(
      (url) => ({ engine: 'mariadb', url: writers === 'all' ? url : cluster.urlOfOne }) as const,
    )
    const { servers, faults } = await startServersWithFaults(databases, { folder: machine.folder, log })
    const { untilWhole } = cluster
    try {
      const allFaults = [...galeraFaults(cluster), ...faults]
      return await runCluster({ site, servers, untilWhole, faults: allFaults }, options)
    } finally {
      for (const server of servers) await server.kill()
      await site.close()
    }
  } finally {
    await machine.remove({ keepFolder: options.keep })
  }
}

async function openSite(url: string): Promise<ProcessSite> {
  const pool = createPool({ uri: url, connectionLimit: 4 })
  const dialect = toMariadbDialect(pool)
  await migrate({ dialect })
  const storage = await createSqlStorage({ dialect, issuer })
  return {
    database: { engine: 'mariadb', url },
    ...(await insertFixtures(storage)),
    storage,
    close: () => pool.promise().end(),
  }
}
