import type { JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/scim-error.ts'
import { findAttribute, findSchema } from '../schema/find-attribute.ts'
import type { Attribute, Schema } from '../schema/schema.ts'
import type { ParseContext, ToleranceCounter } from '../tolerance/tolerances.ts'
import { type Member, membersByName, parseJsonObject, requireMessageSchema } from '../values/json-body.ts'
import { isArray, isObject } from '../values/json.ts'
import { type AttributeTarget, type PatchTarget, resolvePath } from './patch-path.ts'

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

/**
 * Splits an operation into assignments: one for a path, or one for each key of a value without a path (RFC 7644 §3.5.2.1,
 * §3.5.2.3). The URN of an extension is a key whose value is an object.
 */
export function toAssignments(operation: PatchOperation, context: ParseContext): readonly Assignment[] {
  const { op, path, value } = operation
  if (path !== undefined) return toTarget(op, resolvePath(path, context), { value, context })
  // RFC 7644 §3.5.2.1: without a path the value is a set of attributes.
  if (!isObject(value)) throw refusal('value_type')
  return [...membersByName(value)].flatMap(([key, member]) => toKey(op, { key, ...member }, context))
}

interface Given {
  readonly value: JsonValue | undefined
  readonly context: ParseContext
}

function toTarget(op: Op, target: PatchTarget, { value, context }: Given): readonly Assignment[] {
  if (target.kind === 'attribute') return [{ op, target, value }]
  return toSchema(op, target.schema, { value, context })
}

/** An assignment for each given attribute of a schema, or for all of them when the schema is removed. */
function toSchema(op: Op, schema: Schema, { value, context }: Given): readonly Assignment[] {
  const extension = schema === context.resourceType.schema ? undefined : schema.id
  const assign = (attribute: Attribute, given: JsonValue | undefined): Assignment => ({
    op,
    target: { kind: 'attribute', extension, attribute, where: undefined, subAttribute: undefined },
    value: given,
  })
  if (op === 'remove') {
    return schema.attributes
      .filter(({ mutability }) => mutability !== 'readOnly')
      .map((attribute) => assign(attribute, undefined))
  }
  // RFC 7643 §3.3: the attributes of an extension are the members of an object.
  if (!isObject(value)) throw refusal('value_type', { attribute: schema.id })
  return [...membersByName(value)].flatMap(([key, member]) => {
    const attribute = schema.attributesByName.get(key)
    return attribute === undefined ? unknownKey(context) : [assign(attribute, member.value)]
  })
}

function toKey(
  op: Op,
  { key, name, value }: Member & { readonly key: string },
  context: ParseContext,
): readonly Assignment[] {
  // RFC 7643 §3: `schemas` is computed from the resource, but identity providers send it.
  if (key === 'schemas') return []
  const found = findAttribute({ urn: undefined, name, subName: undefined }, context)
  if (found !== undefined) return [{ op, target: { kind: 'attribute', ...found, where: undefined }, value }]
  const schema = findSchema(name, context)
  if (schema !== undefined) return toSchema(op, schema, { value, context })
  if (!looksLikePath.test(name) || !context.tolerances.admits('paths-as-keys')) return unknownKey(context)
  return toTarget(op, resolvePath(name, context), { value, context })
}

function unknownKey({ tolerances }: ParseContext): readonly Assignment[] {
  // RFC 7644 §3.12 invalidSyntax: no schema of this type defines it.
  if (!tolerances.admits('unknown-attributes')) throw refusal('attribute_unknown')
  return []
}

/** A sub-attribute, a URN or a value filter. */
const looksLikePath = /[.:[]/

/** One effect of an operation: it sets or removes an attribute. */
export interface Assignment {
  readonly op: 'add' | 'remove' | 'replace'
  readonly target: AttributeTarget
  /** For a remove, the values to remove, if it lists any. */
  readonly value: JsonValue | undefined
}

type Op = Assignment['op']
