// The floors: the minimum cost of a workload with plain node:http and jose. They make only the necessary checks and do
// not handle errors, so they are a lower bound and not usable servers.
import { hash } from 'node:crypto'

import { fixtureUser } from '../fixture.ts'
import { serveTarget, targetSettings } from '../serve-target.ts'
import type { FloorFixture, FloorStore } from './floor-store.ts'
import { floorScope, floorTarget } from './floor-target.ts'
import { memoryFloorStore } from './memory-store.ts'

const settings = targetSettings()
const clientSecret = 'f7x0dVwTqv6yEu2cB9jP4mN1kL8sA3hRgZoWiXtYeUc'
const sessionSecret = 'q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c'
const fixture = {
  clientId: 'client',
  secretDigest: hash('sha256', clientSecret, 'base64url'),
  sessionDigest: hash('sha256', sessionSecret, 'base64url'),
  user: { userId: fixtureUser.userId, active: true, claims: { email: fixtureUser.email } },
  grant: { grantId: 'grant', userId: fixtureUser.userId, scope: floorScope },
}
const store = settings.storage === 'memory' ? memoryFloorStore(fixture) : await openSqlStore(fixture)

await serveTarget(await floorTarget(store, { clientSecret, cookies: [`session=${sessionSecret}`] }, settings))

/** Opens the store in a database. Loads only the modules that it needs. */
async function openSqlStore(fixture: FloorFixture): Promise<FloorStore> {
  const [{ sqlConnection }, { sqlFloorStore }] = await Promise.all([
    import('./sql-connection.ts'),
    import('./sql-store.ts'),
  ])
  return sqlFloorStore(await sqlConnection(settings), fixture)
}
