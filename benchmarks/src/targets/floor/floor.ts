// The floors: the minimum cost of a workload with plain node:http and jose. They make only the necessary checks and do
// not handle errors, so they are a lower bound and not usable servers.
import { serveTarget, targetSettings } from '../serve-target.ts'
import { floorFixture, floorSecrets } from './floor-fixture.ts'
import { floorTarget } from './floor-target.ts'
import { memoryFloorStore } from './memory-store.ts'
import { minimalWork } from './minimal-work.ts'
import { memoryPushedStore, sqlPushedStore } from './pushed-and-proven.ts'

const settings = targetSettings()
const stores =
  settings.storage === 'memory'
    ? { store: memoryFloorStore(floorFixture), pushed: memoryPushedStore() }
    : await openSqlStores()

await serveTarget(await floorTarget({ ...stores, secrets: floorSecrets, createWork: minimalWork }, settings))

/** Opens the stores in a database. Loads only the modules that they need. */
async function openSqlStores() {
  const [{ sqlConnection }, { sqlFloorStore }] = await Promise.all([
    import('./sql-connection.ts'),
    import('./sql-store.ts'),
  ])
  const connection = await sqlConnection(settings)
  return { store: await sqlFloorStore(connection, floorFixture), pushed: await sqlPushedStore(connection) }
}
