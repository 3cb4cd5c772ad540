import { test } from 'vitest'

import { expectNothingLost } from './expect-nothing-lost.ts'
import { redisCluster } from './redis-cluster.ts'

test('Redis with Sentinel and waitForReplicas loses nothing, issues nothing twice and serves no deactivated user', async () => {
  await expectNothingLost(redisCluster, [
    'Redis of the primary is killed',
    'the primary is cut off from the other hosts, and not from the servers',
  ])
})
