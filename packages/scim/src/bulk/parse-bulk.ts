import type { Pieces } from '@mintmark/internal'
import type { JsonValue } from '@mintmark/storage-interface'

import { refuse } from '../error/scim-error.ts'
import type { ScimLimits } from '../limits/scim-limits.ts'
import type { ToleranceCounter } from '../tolerance/tolerances.ts'
import {
  isArray,
  isObject,
  type Member,
  membersByName,
  parseJsonObjectInPieces,
  requireMessageSchema,
} from '../values/json.ts'
import { nameKey } from '../values/text.ts'

/**
 * Parses the body of a bulk request (RFC 7644 §3.7). A malformed message is refused as a whole, before any operation runs.
 * @throws ScimError invalidSyntax — reasons `body_malformed`, `body_too_deep`, `member_repeated`, `schemas_missing`,
 * `bulk_operations_missing`, `bulk_operation_malformed`, `bulk_id_missing`, `bulk_id_repeated`, `bulk_errors_malformed`; 413 —
 * reason `bulk_too_large`.
 */
export function* parseBulk(
  body: unknown,
  tolerances: ToleranceCounter,
  { bulkOperations }: Pick<ScimLimits, 'bulkOperations'>,
): Pieces<BulkRequest> {
  const members = membersByName(yield* parseJsonObjectInPieces(body))
  requireMessageSchema(members, 'urn:ietf:params:scim:api:messages:2.0:BulkRequest', tolerances)

  const list = members.get('operations')?.value
  // RFC 7644 §3.7: "Operations" is required and an array.
  if (!isArray(list)) throw refuse('bulk_operations_missing')
  // RFC 7644 §3.7.4: 413, before any operation is parsed.
  if (list.length > bulkOperations) throw refuse('bulk_too_large')
  const operations = list.map((operation, index) => readOperation(operation, `Operations[${index}]`, tolerances))
  refuseRepeatedIds(operations)
  return { operations, failOnErrors: readFailOnErrors(members.get('failonerrors')?.value ?? undefined, bulkOperations) }
}

/** @param place where the operation is in the request, which a refusal names. */
function readOperation(operation: JsonValue, place: string, tolerances: ToleranceCounter): BulkOperation {
  // RFC 7644 §3.7: an operation is an object.
  if (!isObject(operation)) throw refuse('bulk_operation_malformed', { value: place })
  const members = membersByName(operation)
  const textOf = (name: string): string | undefined => textIn(members, name, place)
  const sentMethod = textOf('method')
  const method = methodOf(sentMethod, tolerances)
  const path = textOf('path')
  // RFC 7644 §3.7: method and path are required.
  if (sentMethod === undefined || !methodName.test(sentMethod) || path === undefined)
    throw refuse('bulk_operation_malformed', { value: place })
  const bulkId = textOf('bulkId')
  const sent = {
    path,
    version: textOf('version'),
    data: method === 'DELETE' ? undefined : (members.get('data')?.value ?? undefined),
  }
  if (method === 'other') return { ...sent, method, sentMethod, bulkId }
  if (method !== 'POST') return { ...sent, method, bulkId }
  // RFC 7644 §3.7: required with POST, because it tells the client which resource was created.
  if (bulkId === undefined || bulkId === '') throw refuse('bulk_id_missing', { value: place })
  return { ...sent, method, bulkId }
}

function textIn(members: ReadonlyMap<string, Member>, name: string, place: string): string | undefined {
  const value = members.get(nameKey(name))?.value ?? undefined
  // RFC 7644 §3.7: these members are strings.
  if (value !== undefined && typeof value !== 'string')
    throw refuse('bulk_operation_malformed', { value: `${place}.${name}` })
  return value
}

function refuseRepeatedIds(operations: readonly BulkOperation[]): void {
  const ids = new Set<string>()
  for (const operation of operations) {
    if (operation.method !== 'POST') continue
    // RFC 7644 §3.7: unique within the request.
    if (ids.has(operation.bulkId)) throw refuse('bulk_id_repeated', { value: operation.bulkId })
    ids.add(operation.bulkId)
  }
}

function readFailOnErrors(value: JsonValue | undefined, most: number): number {
  // Some clients send 0, which can only mean that errors do not stop the request.
  if (value === undefined || value === 0) return Number.POSITIVE_INFINITY
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most
  // RFC 7644 §3.7: an integer. More errors than operations are impossible, so such a number is a mistake.
  if (!isCount) throw refuse('bulk_errors_malformed')
  return value
}

/** Returns the method if it is POST, PUT, PATCH or DELETE (RFC 7644 §3.7), otherwise `other`. */
function methodOf(sentMethod: string | undefined, tolerances: ToleranceCounter): BulkOperation['method'] {
  if (isMethod(sentMethod)) return sentMethod
  const upper = sentMethod?.toUpperCase()
  return isMethod(upper) && tolerances.admits('operation-name-case') ? upper : 'other'
}

const isMethod = (method: string | undefined): method is Exclude<BulkOperation['method'], 'other'> =>
  method === 'POST' || method === 'PUT' || method === 'PATCH' || method === 'DELETE'

/** Limits the characters and the length of a method, because the response repeats it. */
const methodName = /^[A-Za-z]{1,16}$/

/** One operation of a bulk request, as sent (RFC 7644 §3.7). */
export type BulkOperation = Creation | Change | Unsupported

/** An operation with a method that Bulk does not support. Only this operation fails (RFC 7644 §3.7.3). */
interface Unsupported extends Sent {
  readonly method: 'other'
  readonly sentMethod: string
  readonly bulkId: string | undefined
}

interface Creation extends Sent {
  readonly method: 'POST'
  /** The name by which other operations of the request refer to the created resource. */
  readonly bulkId: string
}

interface Change extends Sent {
  readonly method: 'PUT' | 'PATCH' | 'DELETE'
  readonly bulkId: string | undefined
}

interface Sent {
  /** Relative to the provider's base URL, with a leading slash; not yet validated. */
  readonly path: string
  /** The entity tag that the resource must have. */
  readonly version: string | undefined
  /** The body that a single request with this method would have. */
  readonly data: JsonValue | undefined
}

/** A bulk request (RFC 7644 §3.7). */
export interface BulkRequest {
  readonly operations: readonly BulkOperation[]
  /** Processing stops after this many errors. */
  readonly failOnErrors: number
}
