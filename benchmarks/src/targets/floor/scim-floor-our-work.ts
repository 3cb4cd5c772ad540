// The SCIM floor that does Mintmark's work, written by hand: Mintmark's statements on Mintmark's tables, which are recorded at
// start-up, and the checks that SCIM requires. It processes as many requests at the same time as Mintmark does for one provider.
import { defaultLimits } from '../../../../packages/scim/src/limits/scim-limits.ts'
import { createWriteGroup } from '../../../../packages/storage-sql/src/sqlite/dialect.ts'
import { createMintmarkScim } from '../mintmark/create-mintmark-scim.ts'
import { serveTarget, targetSettings } from '../serve-target.ts'
import { requireValue } from '../../driver/workload.ts'
import { createStatementRecorder } from './recorded-statements.ts'
import { scimAccounts } from './scim-accounts.ts'
import { scimFloorListener } from './scim-floor-listener.ts'
import { ourScimWork } from './scim-our-work.ts'
import { sqlConnection } from './sql-connection.ts'

const settings = targetSettings()
const recorder = createStatementRecorder()
const { server, site } = await createMintmarkScim(settings, recorder.watch)
const scim = requireValue(site.scim)
const documents = await scimAccounts({ server, site: scim, recorder }, await sqlConnection(settings, createWriteGroup))
const listener = scimFloorListener({ documents, work: ourScimWork, atOnce: defaultLimits.requestsAtOnce })

await serveTarget({ listener, site: { scim: { ...scim, basePath: '' } } })
