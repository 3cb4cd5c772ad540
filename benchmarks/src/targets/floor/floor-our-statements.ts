// The floor that runs Mintmark's own statements over Mintmark's own tables. The statements are recorded at start-up.
import { offered } from '../../driver/workload.ts'
import { createMintmark } from '../mintmark/create-mintmark.ts'
import { serveTarget, targetSettings } from '../serve-target.ts'
import { floorTarget } from './floor-target.ts'
import { oauthStore } from './oauth-store.ts'
import { createStatementRecorder } from './recorded-statements.ts'
import { sqlConnection } from './sql-connection.ts'

const settings = targetSettings()
const recorder = createStatementRecorder()
const { server, site } = await createMintmark(settings, recorder.watch)
const { clientSecret, ...oauth } = offered(site.oauth)
const store = await oauthStore({ server, site: { clientSecret, ...oauth }, recorder }, await sqlConnection(settings))
// The floor takes everything after this name for a session's secret.
const cookies = oauth.cookies.map((cookie) => `session=${cookie.slice(cookie.indexOf('=') + 1)}`)

await serveTarget(await floorTarget(store, { clientSecret, cookies }, settings))
