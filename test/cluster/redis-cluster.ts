import { createPartner } from '../processes/assertion-races.ts'
import { openSqliteSite } from '../processes/test-database.ts'
import { assertionLoad } from './assertions.ts'
import type { ClusterKind } from './cluster-command.ts'
import { redisFaults } from './redis-faults.ts'
import { primaryName, redisRequirements, sentinelPort, startRedisCluster } from './sentinel.ts'
import { startServersWithFaults } from './server-faults.ts'

export const redisCluster: ClusterKind = {
  account: 'redis',
  requirements: redisRequirements,

  async start(machine, { protection, log }) {
    const cluster = await startRedisCluster(machine, protection)
    log(`three hosts with Redis and Sentinel have started; protection: ${protection}`)
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
    return {
      site,
      servers,
      untilWhole: cluster.untilWhole,
      faults: [...redisFaults(cluster, machine), ...faults],
      writes: ['expiring'],
      ...assertionLoad(partner.privateKey),
    }
  },
}
