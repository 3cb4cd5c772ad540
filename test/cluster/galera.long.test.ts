import { test } from 'vitest'

import { expectNothingLost } from './expect-nothing-lost.ts'
import { galeraCluster } from './galera-cluster.ts'

test('MariaDB Galera with one node that is written loses nothing, issues nothing twice and serves no deactivated user', async () => {
  await expectNothingLost(galeraCluster, [
    'the node that is written is killed',
    'the node that is written is cut off from the others, and not from the servers',
  ])
})
