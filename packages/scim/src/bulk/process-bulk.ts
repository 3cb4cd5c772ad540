import type { Journal } from '@mintmark/core/http'
import { randomIdentifier, type Random } from '@mintmark/core/runtime'

import { refusal } from '../error/refusal.ts'
import type { ScimOccurrence } from '../event/scim-event.ts'
import { readMessage } from '../message/read-message.ts'
import { scimResponse } from '../message/scim-response.ts'
import type { ScimCall, ScimEndpoint, ScimRoutes } from '../server/scim-call.ts'
import { noteTolerances } from '../server/read-call.ts'
import { profileOf } from '../tolerance/profile-of.ts'
import { createToleranceCounter } from '../tolerance/tolerance-counter.ts'
import type { BulkOperation, BulkRequest } from './bulk-operation.ts'
import { referencesIn } from './bulk-reference.ts'
import { pathReference } from './bulk-target.ts'
import { executionOrder } from './execution-order.ts'
import { nextTurn } from './next-turn.ts'
import { parseBulk } from './parse-bulk.ts'
import { performOperation, type BulkResult } from './perform-operation.ts'

/** What a bulk request asks for, made once per server. */
export interface BulkDependencies {
  /** The collections that operations may be about. */
  readonly resources: ScimRoutes
  readonly random: Random
  readonly journal: Journal<ScimOccurrence>
}

/**
 * POST /Bulk (RFC 7644 §3.7): each operation by itself, through the endpoint of its own, in the order in which they were sent as
 * far as references allow. The results stand in the order of the request.
 */
export const processBulk =
  (deps: BulkDependencies): ScimEndpoint =>
  async (call) => {
    const tally = createToleranceCounter(profileOf(call.caller.provider.toleranceProfile))
    const request = parseBulk(readMessage(call.request), tally)
    noteTolerances({ tolerances: tally }, call, deps.journal)
    const results = await performAll(request, call, deps)
    return scimResponse(200, { schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkResponse'], Operations: results })
  }

async function performAll(
  { operations, failOnErrors }: BulkRequest,
  call: ScimCall,
  deps: BulkDependencies,
): Promise<readonly BulkResult[]> {
  const positions = new Map(
    operations.flatMap((operation, position) =>
      operation.method === 'POST' ? [[operation.bulkId, position] as const] : [],
    ),
  )
  const identifiers = new Map<string, string>()
  const idOf = (bulkId: string): string => {
    const id = identifiers.get(bulkId)
    // RFC 7644 §3.7.1, 409: a circle, or what should have been created was not. §3.12 invalidValue: nothing creates it.
    if (id === undefined) throw refusal(positions.has(bulkId) ? 'bulk_id_unresolved' : 'bulk_id_unknown')
    return id
  }
  const correlationId = call.request.headers.get('x-request-id') ?? randomIdentifier(deps.random)
  const references = operations.map((operation) =>
    referencesOf(operation).flatMap((bulkId) => positions.get(bulkId) ?? []),
  )

  const results = new Map<BulkOperation, BulkResult>()
  let errors = 0
  for (const position of executionOrder(references)) {
    const operation = operations[position]
    if (operation === undefined) continue
    const result = await performOperation(operation, { ...deps, call, idOf, correlationId })
    results.set(operation, result)
    if (results.size % operationsInATurn === 0) await nextTurn()
    if (result.response !== undefined) errors += 1
    else if (operation.method === 'POST') identifiers.set(operation.bulkId, identifierIn(result))
    // RFC 7644 §3.7: enough errors. And storage that is down would be asked in vain by all the others.
    if (errors >= failOnErrors || result.status === '503') break
  }
  return operations.flatMap((operation) => results.get(operation) ?? [])
}

function referencesOf({ path, data }: BulkOperation): readonly string[] {
  const addressed = pathReference(path)
  return addressed === undefined ? referencesIn(data) : [addressed, ...referencesIn(data)]
}

/** The `id` of what was created: the end of its address. */
const identifierIn = ({ location = '' }: BulkResult): string =>
  decodeURIComponent(location.slice(location.lastIndexOf('/') + 1))

/** Written one after the other, each with a sync of the disk: some milliseconds. */
const operationsInATurn = 5
