// Breaks Redis with Sentinel under load: `pnpm cluster redis [--minutes 15] [--seed 1] [--fault part of a name] [--keep]
// [--protection none|min-replicas|wait]`. What does not expire is in SQLite.
import { createPartner } from '../processes/assertion-races.ts'
import { openSqliteSite } from '../processes/test-database.ts'
import { assertionLoad } from './assertions.ts'
import { createMachine, removeLeftovers } from './machine.ts'
import { redisFaults } from './redis-faults.ts'
import { reasonNotToRun } from './requirements.ts'
import { clusterOptions, report, runCluster, type ClusterOptions, type ClusterResult } from './run-cluster.ts'
import { primaryName, redisRequirements, sentinelPort, startRedisCluster } from './sentinel.ts'
import { startServersWithFaults } from './server-faults.ts'

const reason = reasonNotToRun(redisRequirements)
if (reason === undefined) process.exitCode = report(await runRedisCluster(clusterOptions()))
else console.log(reason)

async function runRedisCluster(options: ClusterOptions): Promise<ClusterResult> {
  const { log, protection } = options
  await removeLeftovers()
  const machine = await createMachine('redis')
  log(`logs and data are in ${machine.folder}`)
  try {
    const cluster = await startRedisCluster(machine, protection)
    log(`three hosts with Redis and Sentinel have started; protection: ${protection}`)
    const { untilWhole } = cluster
    const site = await openSqliteSite()
    const partner = await createPartner(site)
    const { database } = site
    const { servers, faults } = await startServersWithFaults([database, database, database], {
      folder: machine.folder,
      log,
      partnerKeys: partner.keys,
      redis: {
        sentinels: cluster.hosts.map(({ address }) => ({ host: address, port: sentinelPort })),
        name: primaryName,
        waitForReplicas: protection === 'wait' ? 1 : 0,
      },
    })
    try {
      const allFaults = [...redisFaults(cluster, machine), ...faults]
      const load = assertionLoad(partner.privateKey)
      return await runCluster({ site, servers, untilWhole, faults: allFaults, writes: ['expiring'], ...load }, options)
    } finally {
      for (const server of servers) await server.kill()
      await site.close()
    }
  } finally {
    await machine.remove({ keepFolder: options.keep })
  }
}
