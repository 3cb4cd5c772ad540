import type { JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/scim-error.ts'
import type { ToleranceCounter } from '../tolerance/tolerances.ts'
import { membersByName, parseJsonObject, requireMessageSchema } from '../values/json-body.ts'
import { isArray, isObject } from '../values/json.ts'

/** The maximum number of operations in one request. */
const maximumOperations = 1000

/**
 * Reads the body of a PATCH request (RFC 7644 §3.5.2).
 * @throws ScimError invalidSyntax — reasons `body_malformed`, `body_too_deep`, `member_repeated`, `schemas_missing`,
 * `operations_missing`, `operations_empty`, `operation_malformed`, `operation_unknown`; invalidValue — reason
 * `value_missing`; noTarget — reason `path_missing`; 413 — reasons `operations_too_many`, `body_too_large`.
 */
export function parsePatch(body: unknown, tolerances: ToleranceCounter): readonly PatchOperation[] {
  const members = membersByName(parseJsonObject(body))
  requireMessageSchema(members, 'urn:ietf:params:scim:api:messages:2.0:PatchOp', tolerances)

  const operations = members.get('operations')?.value
  // RFC 7644 §3.5.2: "Operations" is required and an array.
  if (!isArray(operations)) throw refusal('operations_missing')
  // RFC 7644 §3.5.2: at least one operation. Entra sends none when nothing changed.
  if (operations.length === 0 && !tolerances.admits('operations-empty')) throw refusal('operations_empty')
  // RFC 9110 §15.5.14: refused before any operation is applied.
  if (operations.length > maximumOperations) throw refusal('operations_too_many')
  return operations.map((operation) => readOperation(operation, tolerances))
}

function readOperation(operation: JsonValue, tolerances: ToleranceCounter): PatchOperation {
  // RFC 7644 §3.5.2: an operation is an object.
  if (!isObject(operation)) throw refusal('operation_malformed')
  const members = membersByName(operation)
  const op = readName(members.get('op')?.value, tolerances)
  const path = readPath(members.get('path')?.value)
  const value = members.get('value')?.value
  if (op !== 'remove') {
    // RFC 7644 §3.5.2.1, §3.5.2.3: the value is what is added or replaces the target.
    if (value === undefined) throw refusal('value_missing')
    return { op, path, value }
  }
  // RFC 7644 §3.5.2.2: without a path there is nothing to remove.
  if (path === undefined) throw refusal('path_missing')
  return { op, path, value }
}

function readName(op: JsonValue | undefined, tolerances: ToleranceCounter): PatchOperation['op'] {
  if ((op === undefined || op === null) && tolerances.admits('operation-name-missing')) return 'replace'
  if (typeof op !== 'string') throw refusal('operation_malformed')
  if (isOperationName(op)) return op
  const lower = op.length > 7 ? '' : op.toLowerCase()
  // RFC 7644 §3.5.2: add, remove or replace. Entra writes them with a capital.
  if (!isOperationName(lower) || !tolerances.admits('operation-name-case')) throw refusal('operation_unknown')
  return lower
}

function readPath(path: JsonValue | undefined): string | undefined {
  if (path === undefined || path === null) return undefined
  // RFC 7644 §3.5.2: the path is a string.
  if (typeof path !== 'string') throw refusal('operation_malformed')
  return path
}

const isOperationName = (name: string): name is PatchOperation['op'] =>
  name === 'add' || name === 'remove' || name === 'replace'

/** One operation of a PATCH request (RFC 7644 §3.5.2), with its op in lower case and its path not yet resolved. */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string | undefined; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string; readonly value: JsonValue | undefined }
