import type { Journal, ServerRequest, ServerResponse } from '@mintmark/core/http'
import type { JsonValue } from '@mintmark/storage-interface'

import { renderScimError, type ScimErrorBody } from '../error/render-scim-error.ts'
import { toScimError } from '../error/to-scim-error.ts'
import { recordRefusal } from '../event/record-refusal.ts'
import type { ScimOccurrence } from '../event/scim-event.ts'
import { isArray, isObject, objectOf } from '../json/json-object.ts'
import { membersByName } from '../json/members-by-name.ts'
import type { ScimCall, ScimRoutes } from '../server/scim-call.ts'
import type { BulkOperation } from './bulk-operation.ts'
import { withIdentifiers } from './bulk-reference.ts'
import { bulkTarget, type BulkTarget } from './bulk-target.ts'

/** What came of an operation (RFC 7644 §3.7): a member of the answer's `Operations`. */
export interface BulkResult {
  readonly method: BulkOperation['method']
  readonly bulkId?: string
  readonly location?: string
  readonly version?: string
  /** The HTTP status, as a string. */
  readonly status: string
  /** With an error only. */
  readonly response?: ScimErrorBody
}

/** What an operation is carried out with. */
export interface BulkContext {
  /** That of the bulk request. */
  readonly call: ScimCall
  /** The collections that operations may be about. */
  readonly resources: ScimRoutes
  /** The identifier of what a bulkId created; it may throw. */
  readonly idOf: (bulkId: string) => string
  /** Joins the events of all operations. */
  readonly correlationId: string
  readonly journal: Journal<ScimOccurrence>
}

/** Carries one operation out through the endpoint that a request of its own would reach. Its refusal is its result. */
export async function performOperation(operation: BulkOperation, context: BulkContext): Promise<BulkResult> {
  const { method, bulkId } = operation
  const { call, resources, idOf, journal } = context
  const named = bulkId === undefined ? { method } : { method, bulkId }
  let location: string | undefined
  let { request } = call
  try {
    const target = bulkTarget(operation, resources, idOf)
    request = requestOf(operation, target, context)
    if (method !== 'POST') location = call.baseUrl + target.path
    const response = await target.endpoint({ ...call, request, id: target.id })
    return { ...named, ...shownIn(response, location), status: String(response.status) }
  } catch (thrown) {
    // RFC 7644 §3.7.3: what refuses an operation is the answer to it alone.
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

/** As if it had come by itself. Nothing of the resource is to be shown but its identifier: members are not read for nobody. */
function requestOf(
  { method, version, data }: BulkOperation,
  { path }: BulkTarget,
  { call, idOf, correlationId }: BulkContext,
): ServerRequest {
  const headers = new Map([
    ['content-type', 'application/scim+json'],
    ['x-request-id', correlationId],
  ])
  if (version !== undefined && method !== 'POST') headers.set('if-match', version)
  const message = data === undefined ? undefined : withIdentifiers(method === 'PATCH' ? patchMessage(data) : data, idOf)
  return {
    method,
    url: new URL(`${call.baseUrl}${path}?attributes=id`),
    headers,
    repeatedHeaders: new Set(),
    body: new TextEncoder().encode(message === undefined ? '' : JSON.stringify(message)),
  }
}

/**
 * The PATCH message of an operation: RFC 7644 §3.7 shows the bare list of its operations, erratum 5050 the message without
 * `schemas`, and clients send all three.
 */
function patchMessage(data: JsonValue): JsonValue {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp']
  if (isArray(data)) return { schemas, Operations: data }
  if (!isObject(data) || membersByName(data).has('schemas')) return data
  return objectOf([['schemas', schemas], ...Object.entries(data)])
}

/** RFC 7644 §3.7.3: where the resource is, and its version. */
function shownIn({ headers }: ServerResponse, location: string | undefined): Pick<BulkResult, 'location' | 'version'> {
  const found = new Map(headers)
  const address = found.get('Location') ?? found.get('Content-Location') ?? location
  const version = found.get('ETag')
  return { ...(address === undefined ? {} : { location: address }), ...(version === undefined ? {} : { version }) }
}
