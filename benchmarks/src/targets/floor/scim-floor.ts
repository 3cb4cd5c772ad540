// The SCIM floor: documents as JSON text in an indexed table.
import { hash } from 'node:crypto'

import { scimSecret } from '../scim-secret.ts'
import { serveTarget, targetSettings } from '../serve-target.ts'
import { scimDocuments } from './scim-documents.ts'
import { scimFloorListener } from './scim-floor-listener.ts'
import { minimalScimWork } from './scim-work.ts'
import { sqlConnection } from './sql-connection.ts'

const settings = targetSettings()
const secretDigest = hash('sha256', scimSecret, 'base64url')
const documents = await scimDocuments(await sqlConnection(settings), { accounts: settings.rows, secretDigest })

await serveTarget({
  listener: scimFloorListener({ documents, work: minimalScimWork, atOnce: Infinity }),
  site: { scim: { basePath: '', secret: scimSecret, accounts: settings.rows } },
})
