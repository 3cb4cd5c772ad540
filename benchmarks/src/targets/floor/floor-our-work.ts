// The floors that do Mintmark's work, written by hand: on a database, Mintmark's statements on Mintmark's tables, which are
// recorded at start-up. They check no more than the other floors, so Mintmark cannot cost less.
import { createWriteGroup } from '../../../../packages/storage-sql/src/sqlite/dialect.ts'
import { requireValue } from '../../driver/workload.ts'
import { serveTarget, targetSettings, type Target } from '../serve-target.ts'
import { floorFixture, floorSecrets } from './floor-fixture.ts'
import type { FloorStore } from './floor-store.ts'
import { floorTarget } from './floor-target.ts'
import { memoryFloorStore } from './memory-store.ts'
import { ourWork } from './our-work.ts'

const settings = targetSettings()

await serveTarget(await (settings.storage === 'memory' ? inMemory() : onOurTables()))

function inMemory(): Promise<Target> {
  const participants = new Map<string, number>()
  const store: FloorStore = {
    ...memoryFloorStore(floorFixture),
    join: ({ sessionId }, clientId) => void participants.set(`${sessionId} ${clientId}`, Date.now()),
  }
  return floorTarget({ store, secrets: floorSecrets, createWork: ourWork }, settings)
}

/** Loads Mintmark, whose statements are recorded. */
async function onOurTables(): Promise<Target> {
  const [{ createMintmark }, { oauthStore }, { createStatementRecorder }, { sqlConnection }] = await Promise.all([
    import('../mintmark/create-mintmark.ts'),
    import('./oauth-store.ts'),
    import('./recorded-statements.ts'),
    import('./sql-connection.ts'),
  ])
  const recorder = createStatementRecorder()
  const { server, site } = await createMintmark(settings, recorder.watch)
  const oauth = requireValue(site.oauth)
  const store = await oauthStore({ server, site: oauth, recorder }, await sqlConnection(settings, createWriteGroup))
  // The floor expects a cookie with this name, whose value is the secret of the session.
  const cookies = oauth.cookies.map((cookie) => `session=${cookie.slice(cookie.indexOf('=') + 1)}`)
  const { clientSecret } = oauth
  return floorTarget({ store, secrets: { clientSecret, cookies }, createWork: ourWork }, settings)
}
