import { migrate } from '@mintmark/storage-sql'
import { toPostgresDialect } from '@mintmark/storage-sql/postgres'
import { Pool } from 'pg'

import { openSite, type ProcessSite } from '../processes/test-database.ts'
import type { ClusterKind } from './cluster-command.ts'
import { patroniOfDebian, patroniRequirements, startPatroniCluster } from './patroni.ts'
import { postgresFaults } from './postgres-faults.ts'
import { startServersWithFaults } from './server-faults.ts'

export const postgresCluster: ClusterKind = {
  account: 'postgres',
  requirements: patroniRequirements,

  async start(machine, { patroni, direct, log }) {
    const cluster = await startPatroniCluster(
      machine,
      patroni === undefined ? patroniOfDebian : { program: patroni, protocol: 'etcd3' },
    )
    log('three hosts with PostgreSQL, Patroni and etcd, HAProxy, and PgBouncer in transaction mode have started')
    const site = await migratedSite(direct ? cluster.urlWithoutPooler : cluster.url)
    const { database } = site
    const { servers, faults } = await startServersWithFaults([database, database, database], {
      folder: machine.folder,
      log,
    })
    return { site, servers, untilWhole: cluster.untilWhole, faults: postgresFaults(cluster, faults) }
  },
}

/** Migrates the database through PgBouncer, as the servers use it. */
async function migratedSite(url: string): Promise<ProcessSite> {
  const pool = new Pool({ connectionString: url, max: 4 })
  const dialect = toPostgresDialect(pool)
  await migrate({ dialect })
  return openSite(dialect, { database: { engine: 'postgres', url }, close: () => pool.end() })
}
