// The floors: the minimum cost of a workload with plain node:http and jose. They make only the necessary checks and do
// not handle errors, so they are a lower bound and not usable servers.
import { serveTarget, targetSettings } from '../serve-target.ts'
import { floorFixture, floorSecrets } from './floor-fixture.ts'
import type { FloorStore } from './floor-store.ts'
import { floorTarget } from './floor-target.ts'
import { memoryFloorStore } from './memory-store.ts'
import { minimalWork } from './minimal-work.ts'

const settings = targetSettings()
const store = settings.storage === 'memory' ? memoryFloorStore(floorFixture) : await openSqlStore()

await serveTarget(await floorTarget({ store, secrets: floorSecrets, createWork: minimalWork }, settings))

/** Opens the store in a database. Loads only the modules that it needs. */
async function openSqlStore(): Promise<FloorStore> {
  const [{ sqlConnection }, { sqlFloorStore }] = await Promise.all([
    import('./sql-connection.ts'),
    import('./sql-store.ts'),
  ])
  return sqlFloorStore(await sqlConnection(settings), floorFixture)
}
