import { migrate } from '@mintmark/storage-sql'
import { toMariadbDialect } from '@mintmark/storage-sql/mariadb'
import { createPool } from 'mysql2'

import { openSite, type ProcessSite } from '../processes/test-database.ts'
import type { ClusterKind } from './cluster-command.ts'
import { galeraFaults } from './galera-faults.ts'
import { galeraRequirements, startGaleraCluster } from './galera-nodes.ts'
import { startServersWithFaults } from './server-faults.ts'

export const galeraCluster: ClusterKind = {
  account: 'mysql',
  requirements: galeraRequirements,

  async start(machine, { writers, log }) {
    const cluster = await startGaleraCluster(machine)
    log(`three hosts with MariaDB, and HAProxy, have started; ${writers} of the nodes may be written`)
    const site = await migratedSite(cluster.urlOfOne)
    const databases = cluster.urls.map(
      (url) => ({ engine: 'mariadb', url: writers === 'all' ? url : cluster.urlOfOne }) as const,
    )
    const { servers, faults } = await startServersWithFaults(databases, { folder: machine.folder, log })
    return { site, servers, untilWhole: cluster.untilWhole, faults: [...galeraFaults(cluster), ...faults] }
  },
}

async function migratedSite(url: string): Promise<ProcessSite> {
  const pool = createPool({ uri: url, connectionLimit: 4 })
  const dialect = toMariadbDialect(pool)
  await migrate({ dialect })
  return openSite(dialect, { database: { engine: 'mariadb', url }, close: () => pool.promise().end() })
}
