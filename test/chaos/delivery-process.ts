// A process that delivers logout tokens and webhooks once and dies at a storage call. Its argument is a DeliveryConfig
// in JSON.
import { createAuthorizationServer, createStoredKeys } from '@mintmark/core'
import { createSqlStorage } from '@mintmark/storage-sql'

import { crashingStorage } from '../processes/crashing-storage.ts'
import { openDatabase } from '../processes/open-database.ts'
import { issuer } from '../processes/server-config.ts'
import { deliveryOptions, type DeliveryConfig } from './kill-deliveries.ts'

const { database, crash, port, deliversOnlyWebhooks } = JSON.parse(process.argv[2] ?? '') as DeliveryConfig
const storage = await createSqlStorage({ dialect: openDatabase(database), issuer })
const keys = createStoredKeys({ storage, sealingKey: Buffer.alloc(32, 7).toString('base64url'), algorithms: ['ES256'] })
const server = createAuthorizationServer({
  ...deliveryOptions(port),
  ...(deliversOnlyWebhooks && { backChannelLogout: false }),
  storage: crashingStorage(storage, crash),
  keys,
})

await server.deliverOnce()
process.exit(0)
