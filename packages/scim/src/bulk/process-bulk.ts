import type { ServerRequest, ServerResponse } from '@mintmark/core/http'
import { type Journal, type Pieces, runInTurns } from '@mintmark/internal'
import type { JsonValue } from '@mintmark/storage-interface'

import { refuse, renderScimError, type ScimErrorBody, toScimError } from '../error/scim-error.ts'
import { recordRefusal, type ScimOccurrence } from '../event/scim-event.ts'
import { readMessage, scimResponse } from '../call/scim-message.ts'
import {
  recordTolerances,
  type ScimCall,
  type ScimCollection,
  type ScimEndpoint,
  type ScimRoutes,
} from '../call/scim-call.ts'
import { createToleranceCounter, tolerancesOf } from '../tolerance/tolerances.ts'
import { isArray, isObject, membersByName, toObject } from '../values/json.ts'
import {
  type BulkTarget,
  executionOrder,
  pathReference,
  referencesIn,
  resolveTarget,
  withIdentifiers,
} from './bulk-references.ts'
import { type BulkOperation, type BulkRequest, parseBulk } from './parse-bulk.ts'

/** Creates the routes at /Bulk. */
export const bulkRoutes = (deps: BulkDependencies): ScimCollection => ({ collection: { POST: processBulk(deps) } })

/** Dependencies of the bulk endpoint. */
interface BulkDependencies {
  /** The collections that operations may target. */
  readonly resources: ScimRoutes
  readonly journal: Journal<ScimOccurrence>
}

/**
 * POST /Bulk (RFC 7644 §3.7): runs each operation through its own endpoint, in the order of the request as far as references
 * allow. The results are in the order of the request.
 */
const processBulk =
  (deps: BulkDependencies): ScimEndpoint =>
  async (call) => {
    const tolerances = createToleranceCounter(tolerancesOf(call.caller.provider.toleranceProfile))
    const request = await runInTurns(parseBulk(await readMessage(call), tolerances, call.limits), call.turns)
    recordTolerances({ tolerances }, call, deps.journal)
    // The request itself has already been counted.
    await call.countOperations(request.operations.length - 1)
    const results = await executeOperations(request, call, deps)
    return scimResponse(200, { schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkResponse'], Operations: results })
  }

async function executeOperations(
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
    // RFC 7644 §3.7.1, 409: the reference is circular, or its resource was not created. §3.12 invalidValue: no operation has this
    // bulkId.
    if (id === undefined)
      throw refuse(positions.has(bulkId) ? 'bulk_id_unresolved' : 'bulk_id_unknown', { value: bulkId })
    return id
  }
  const references: (readonly number[])[] = []
  for (const operation of operations) {
    const bulkIds = await runInTurns(referencesOf(operation), call.turns)
    references.push([...bulkIds].flatMap((bulkId) => positions.get(bulkId) ?? []))
  }

  const results = new Map<BulkOperation, BulkResult>()
  let errors = 0
  for (const position of executionOrder(references)) {
    const operation = operations[position]
    if (operation === undefined) continue
    await call.authenticateAgain()
    const result = await executeOperation(operation, { ...deps, call, idOf })
    results.set(operation, result)
    if (call.turns.hasEnded()) await call.turns.next()
    if (result.response !== undefined) errors += 1
    else if (operation.method === 'POST') identifiers.set(operation.bulkId, identifierIn(result))
    // RFC 7644 §3.7: failOnErrors is reached. When storage is unavailable, or the provider was disabled, the remaining operations
    // would fail as well.
    if (errors >= failOnErrors || result.status === '503' || result.status === '401') break
  }
  return operations.flatMap((operation) => results.get(operation) ?? [])
}

function* referencesOf({ path, data }: BulkOperation): Pieces<ReadonlySet<string>> {
  const addressed = pathReference(path)
  const references = yield* referencesIn(data)
  return addressed === undefined ? references : new Set([addressed, ...references])
}

/** Returns the `id` of a created resource: the last segment of its location. */
const identifierIn = ({ location = '' }: BulkResult): string =>
  decodeURIComponent(location.slice(location.lastIndexOf('/') + 1))

/** The result of an operation, as listed in `Operations` of the response (RFC 7644 §3.7). */
interface BulkResult {
  readonly method: string
  readonly bulkId?: string
  readonly location?: string
  readonly version?: string
  /** The HTTP status, as a string. */
  readonly status: string
  /** Only for errors. */
  readonly response?: ScimErrorBody
}

/** The context in which an operation runs. */
interface BulkContext {
  /** The bulk request. */
  readonly call: ScimCall
  /** The collections that operations may target. */
  readonly resources: ScimRoutes
  /** Returns the id of the resource that a bulkId created; it may throw. */
  readonly idOf: (bulkId: string) => string
  readonly journal: Journal<ScimOccurrence>
}

/** Runs one operation through the endpoint that a single request would reach. A refusal becomes the result of the operation. */
async function executeOperation(operation: BulkOperation, context: BulkContext): Promise<BulkResult> {
  const { bulkId } = operation
  const method = operation.method === 'other' ? operation.sentMethod : operation.method
  const { call, resources, idOf, journal } = context
  const named = bulkId === undefined ? { method } : { method, bulkId }
  let location: string | undefined
  let { request } = call
  try {
    // RFC 7644 §3.7: POST, PUT, PATCH or DELETE.
    if (operation.method === 'other') throw refuse('bulk_operation_malformed')
    const target = resolveTarget(operation, resources, idOf)
    request = requestOf(operation, target, context)
    const message = await messageOf(operation, context)
    if (method !== 'POST') location = call.baseUrl + target.path
    const response = await target.endpoint({ ...call, request, message, id: target.id })
    return { ...named, ...shownIn(response, location), status: String(response.status) }
  } catch (thrown) {
    // RFC 7644 §3.7.3: an error applies to this operation only.
    const error = toScimError(thrown)
    recordRefusal(journal)(error, request)
    return {
      ...named,
      ...(location === undefined ? {} : { location }),
      status: String(error.status),
      response: renderScimError(error),
    }
  }
}

/** Returns the operation as a single request. It requests only the id, so that the members of a group are not read. */
function requestOf(
  { method, version }: BulkOperation,
  { path }: BulkTarget,
  { call, journal }: BulkContext,
): ServerRequest {
  const headers = new Map([['content-type', 'application/scim+json']])
  if (version !== undefined && method !== 'POST') headers.set('if-match', version)
  const request: ServerRequest = {
    method,
    url: new URL(`${call.baseUrl}${path}?attributes=id`),
    headers,
    repeatedHeaders: new Set(),
    host: undefined,
    body: new Uint8Array(),
  }
  journal.shareIdentifiers(request, call.request)
  return request
}

/**
 * Returns the body of the operation, with ids in place of references. It is not serialized, because the endpoint would
 * then parse it a second time.
 */
const messageOf = async (
  { method, data }: BulkOperation,
  { call, idOf }: BulkContext,
): Promise<JsonValue | undefined> =>
  data === undefined
    ? undefined
    : runInTurns(withIdentifiers(method === 'PATCH' ? patchMessage(data) : data, idOf), call.turns)

/**
 * Returns the PATCH message of an operation. RFC 7644 §3.7 shows the list of operations alone, erratum 5050 the message
 * without `schemas`. Clients send either of them or the complete message.
 */
function patchMessage(data: JsonValue): JsonValue {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp']
  if (isArray(data)) return { schemas, Operations: data }
  if (!isObject(data) || membersByName(data).has('schemas')) return data
  return toObject([['schemas', schemas], ...Object.entries(data)])
}

/** Returns the location and the version of the resource in a response (RFC 7644 §3.7.3). */
function shownIn({ headers }: ServerResponse, location: string | undefined): Pick<BulkResult, 'location' | 'version'> {
  const found = new Map(headers)
  const address = found.get('Location') ?? found.get('Content-Location') ?? location
  const version = found.get('ETag')
  return { ...(address === undefined ? {} : { location: address }), ...(version === undefined ? {} : { version }) }
}
