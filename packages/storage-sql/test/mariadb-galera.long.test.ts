import { migrate } from '@mintmark/storage-sql'
import { toMariadbDialect } from '@mintmark/storage-sql/mariadb'
import { expect, it, onTestFinished } from 'vitest'

import { freePort } from '../../../test/support/free-port.ts'
import { aMariadbPool, endPool } from './support/mariadb-database.ts'
import { startMariadb } from './support/mariadb-server.ts'

it('on a node of Galera, the migrations work, and statements wait for what other nodes have confirmed', async () => {
  const port = await freePort()
  const server = await startMariadb([
    '--wsrep-on=ON',
    '--wsrep-new-cluster',
    '--wsrep-provider=/usr/lib/galera/libgalera_smm.so',
    '--wsrep-cluster-address=gcomm://',
    '--wsrep-node-address=127.0.0.1',
    `--wsrep-provider-options=base_port=${port};gmcast.listen_addr=tcp://127.0.0.1:${port};gcache.size=32M`,
    '--binlog-format=ROW',
    '--innodb-autoinc-lock-mode=2',
  ])
  onTestFinished(() => server.stop())
  const pool = await aMariadbPool(server.port)
  onTestFinished(() => endPool(pool))
  const dialect = toMariadbDialect(pool)

  await migrate({ dialect })
  const rows = await dialect.all('SELECT @@wsrep_sync_wait AS wait', [])

  expect(rows.map(({ values }) => values)).toEqual([[7]])
})
