import type { ScimCollection } from '../server/scim-call.ts'
import { processBulk, type BulkDependencies } from './process-bulk.ts'

/** What answers at /Bulk. */
export const bulkRoutes = (deps: BulkDependencies): ScimCollection => ({ collection: { POST: processBulk(deps) } })
