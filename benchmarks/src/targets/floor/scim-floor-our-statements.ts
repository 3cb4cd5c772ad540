// The SCIM floor that runs Mintmark's statements on Mintmark's tables. The statements are recorded at start-up. It processes as
// many requests at the same time as Mintmark does for one provider.
import { defaultLimits } from '../../../../packages/scim/src/limits/scim-limits.ts'
import { createWriteGroup } from '../../../../packages/storage-sql/src/sqlite/dialect.ts'
import { createMintmarkScim } from '../mintmark/create-mintmark-scim.ts'
import { serveTarget, targetSettings } from '../serve-target.ts'
import { requireValue } from '../../driver/workload.ts'
import { createStatementRecorder } from './recorded-statements.ts'
import { scimAccounts } from './scim-accounts.ts'
import { scimFloorListener } from './scim-floor-listener.ts'
import { sqlConnection } from './sql-connection.ts'

const settings = targetSettings()
const recorder = createStatementRecorder()
const { server, site } = await createMintmarkScim(settings, recorder.watch)
const scim = requireValue(site.scim)
const documents = await scimAccounts({ server, site: scim, recorder }, await sqlConnection(settings, createWriteGroup))
const listener = scimFloorListener(documents, defaultLimits.requestsAtOnce)

await serveTarget({ listener, site: { scim: { ...scim, basePath: '' } } })
