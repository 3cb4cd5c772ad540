// The SCIM floor that runs Mintmark's own statements over Mintmark's own tables. The statements are recorded at
// start-up.
import { createMintmarkScim } from '../mintmark/create-mintmark-scim.ts'
import { serveTarget, targetSettings } from '../serve-target.ts'
import { offered } from '../../driver/workload.ts'
import { createStatementRecorder } from './recorded-statements.ts'
import { scimAccounts } from './scim-accounts.ts'
import { scimFloorListener } from './scim-floor-listener.ts'
import { sqlConnection } from './sql-connection.ts'

const settings = targetSettings()
const recorder = createStatementRecorder()
const { server, site } = await createMintmarkScim(settings, recorder.watch)
const scim = offered(site.scim)
const documents = await scimAccounts({ server, site: scim, recorder }, await sqlConnection(settings))

await serveTarget({ listener: scimFloorListener(documents), site: { scim: { ...scim, basePath: '' } } })
