// The floor that runs Mintmark's statements on Mintmark's tables. The statements are recorded at start-up.
import { requireValue } from '../../driver/workload.ts'
import { createMintmark } from '../mintmark/create-mintmark.ts'
import { serveTarget, targetSettings } from '../serve-target.ts'
import { floorTarget } from './floor-target.ts'
import { oauthStore } from './oauth-store.ts'
import { createStatementRecorder } from './recorded-statements.ts'
import { sqlConnection } from './sql-connection.ts'

const settings = targetSettings()
const recorder = createStatementRecorder()
const { server, site } = await createMintmark(settings, recorder.watch)
const { clientSecret, ...oauth } = requireValue(site.oauth)
const store = await oauthStore({ server, site: { clientSecret, ...oauth }, recorder }, await sqlConnection(settings))
// The floor expects a cookie with this name, whose value is the secret of the session.
const cookies = oauth.cookies.map((cookie) => `session=${cookie.slice(cookie.indexOf('=') + 1)}`)

await serveTarget(await floorTarget(store, { clientSecret, cookies }, settings))
