// One file: the operations of a PATCH, from the body to assignments.

import { type Pieces, runAtOnce } from '@mintmark/internal'
import type { JsonObject, JsonValue, ResolvedFilter } from '@mintmark/storage-interface'

import { refuse, ScimError } from '../error/scim-error.ts'
import type { CompareNode, FilterLiteral, FilterNode } from '../filter/filter-node.ts'
import {
  createFilterParser,
  type FilterCursor,
  type FilterLimits,
  openCursor,
  readEnd,
  readName,
  readSubName,
  readValueFilter,
} from '../filter/parse-filter.ts'
import { resolveValueFilter } from '../filter/resolve-filter.ts'
import {
  attributeLabel,
  type AttributeName,
  findAttribute,
  findSchema,
  ignoreUnknown,
  parseAttributeName,
  type ResolvedAttribute,
  resolveAttributeName,
  resolveName,
  printAttributeName,
  suggestAttribute,
} from '../schema/find-attribute.ts'
import { isOwnSchemas } from '../resource/parse-resource.ts'
import type { Attribute, Schema } from '../schema/schema.ts'
import { defaultLimits, type ScimLimits } from '../limits/scim-limits.ts'
import type { WorkBudget } from '../limits/work-budget.ts'
import { createToleranceCounter, type ToleranceCounter } from '../tolerance/tolerances.ts'
import type { MessageContext, ParseContext } from '../schema/parse-context.ts'
import {
  isArray,
  isObject,
  type Member,
  membersByName,
  parseJsonObjectInPieces,
  requireMessageSchema,
  toObject,
} from '../values/json.ts'
import { isWritable, readSimple } from '../resource/read-value.ts'
import { nameKey } from '../values/text.ts'

/** The context of a PATCH. */
export interface PatchContext extends MessageContext {
  /** The work that the PATCH may cause. */
  readonly work: WorkBudget
}

/**
 * Reads the body of a PATCH request (RFC 7644 §3.5.2).
 * @throws ScimError invalidSyntax — reasons `body_malformed`, `body_too_deep`, `member_repeated`, `schemas_missing`,
 * `operations_missing`, `operations_empty`, `operation_malformed`, `operation_unknown`; invalidValue — reason
 * `value_missing`; noTarget — reason `path_missing`; 413 — reason `operations_too_many`.
 */
export const parsePatch = (body: unknown, tolerances: ToleranceCounter): readonly PatchOperation[] =>
  runAtOnce(parsePatchInPieces(body, tolerances))

/** Like `parsePatch`, but in pieces, because an operation may list a hundred thousand members. */
export function* parsePatchInPieces(
  body: unknown,
  tolerances: ToleranceCounter,
  { patchOperations }: Pick<ScimLimits, 'patchOperations'> = defaultLimits,
): Pieces<readonly PatchOperation[]> {
  const members = membersByName(yield* parseJsonObjectInPieces(body))
  requireMessageSchema(members, 'urn:ietf:params:scim:api:messages:2.0:PatchOp', tolerances)

  const operations = members.get('operations')?.value
  // RFC 7644 §3.5.2: "Operations" is required and an array.
  if (!isArray(operations)) throw refuse('operations_missing')
  // RFC 7644 §3.5.2: at least one operation. Entra sends none when nothing changed.
  if (operations.length === 0 && !tolerances.admits('operations-empty')) throw refuse('operations_empty')
  // RFC 9110 §15.5.14: refused before any operation is applied.
  if (operations.length > patchOperations) throw refuse('operations_too_many')
  return operations.map((operation) => readOperation(operation, tolerances))
}

function readOperation(operation: JsonValue, tolerances: ToleranceCounter): PatchOperation {
  // RFC 7644 §3.5.2: an operation is an object.
  if (!isObject(operation)) throw refuse('operation_malformed')
  const members = membersByName(operation)
  const op = readOperationName(members.get('op')?.value, tolerances)
  const path = readPathText(members.get('path')?.value, tolerances)
  const value = members.get('value')?.value
  if (op !== 'remove') {
    // RFC 7644 §3.5.2.1, §3.5.2.3: an add and a replace need a value.
    if (value === undefined) throw refuse('value_missing')
    return { op, path, value }
  }
  // RFC 7644 §3.5.2.2: without a path there is nothing to remove.
  if (path === undefined) throw refuse('path_missing')
  // RFC 7644 §3.5.2.2: a remove without a value removes every value, so a list under another name was meant as its value.
  if (value === undefined && [...members.values()].some((member) => isNonEmpty(member.value)))
    throw refuse('operation_malformed')
  return { op, path, value }
}

const isNonEmpty = (value: JsonValue): boolean => typeof value === 'object' && value !== null

function readOperationName(op: JsonValue | undefined, tolerances: ToleranceCounter): PatchOperation['op'] {
  if ((op === undefined || op === null) && tolerances.admits('operation-name-missing')) return 'replace'
  if (typeof op !== 'string') throw refuse('operation_malformed')
  if (isOperationName(op)) return op
  const lower = op.length > 7 ? '' : op.toLowerCase()
  // RFC 7644 §3.5.2: add, remove or replace. Entra capitalizes them.
  if (!isOperationName(lower) || !tolerances.admits('operation-name-case')) throw refuse('operation_unknown')
  return lower
}

function readPathText(path: JsonValue | undefined, tolerances: ToleranceCounter): string | undefined {
  if (path === undefined || path === null || (path === '' && tolerances.admits('path-empty'))) return undefined
  // RFC 7644 §3.5.2: the path is a string.
  if (typeof path !== 'string') throw refuse('operation_malformed')
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
  if (path !== undefined) return assignToTarget(op, resolvePath(path, context), { value, context })
  const attributes = unwrapList(value, context)
  // RFC 7644 §3.5.2.1: without a path the value is a set of attributes.
  if (!isObject(attributes)) throw refuse('value_type')
  return [...membersByName(attributes)].flatMap(([key, member]) => assignToKey(op, { key, ...member }, context))
}

function unwrapList(value: JsonValue | undefined, { tolerances }: ParseContext): JsonValue | undefined {
  if (!isArray(value) || value.length !== 1) return value
  return tolerances.admits('list-around-value') ? value[0] : value
}

interface AssignedValue {
  readonly value: JsonValue | undefined
  readonly context: ParseContext
}

function assignToTarget(op: Op, target: PatchTarget, { value, context }: AssignedValue): readonly Assignment[] {
  if (target.kind === 'attribute') return [{ op, target, value }]
  return assignToSchema(op, target.schema, { value, context })
}

/**
 * Returns an assignment for each given attribute of a schema, or for each attribute that is not read-only when the
 * schema is removed.
 */
function assignToSchema(op: Op, schema: Schema, { value, context }: AssignedValue): readonly Assignment[] {
  const extension = schema === context.resourceType.schema ? undefined : schema.id
  const assign = (attribute: Attribute, assigned: JsonValue | undefined): Assignment => ({
    op,
    target: { kind: 'attribute', extension, attribute, where: undefined, subAttribute: undefined },
    value: assigned,
  })
  if (op === 'remove') {
    // RFC 7644 §3.5.2.2: the path removes all attributes of the schema, and the value names some of them.
    if (value !== undefined && value !== null) throw refuse('remove_with_value', { attribute: schema.id })
    return schema.attributes
      .filter(({ mutability }) => mutability !== 'readOnly')
      .map((attribute) => assign(attribute, undefined))
  }
  // RFC 7643 §3.3: the attributes of an extension are the members of an object.
  if (!isObject(value)) throw refuse('value_type', { attribute: schema.id })
  return [...membersByName(value)].flatMap(([key, member]) => {
    const attribute = schema.attributesByName.get(key)
    if (attribute !== undefined) return [assign(attribute, member.value)]
    if (!isOwnSchemas(key, member.value, schema)) ignoreUnknown({ name: member.name, extension: schema }, context)
    return []
  })
}

function assignToKey(
  op: Op,
  { key, name, value }: Member & { readonly key: string },
  context: ParseContext,
): readonly Assignment[] {
  // RFC 7643 §3: `schemas` is computed from the resource, but identity providers send it.
  if (key === 'schemas') return []
  // RFC 7643 §3.1: read-only. A client that sends a whole resource repeats the `meta` that it has read.
  if (key === 'meta' && context.tolerances.admits('meta-in-patch')) return []
  const found = findAttribute({ urn: undefined, name, subName: undefined }, context)
  if (found !== undefined) return [{ op, target: { kind: 'attribute', ...found, where: undefined }, value }]
  const schema = findSchema(name, context)
  if (schema !== undefined) return assignToSchema(op, schema, { value, context })
  if (!isPathOfType(name, context)) {
    ignoreUnknown({ name, extension: undefined }, context)
    return []
  }
  return assignToTarget(op, resolvePath(name, context), { value, context })
}

/**
 * Returns whether a key is a path to something that the type has, such as `name.givenName`. Any other key is as unknown
 * as a plain name, so that an extension of the client does not refuse a deactivation in the same operation. A key that
 * names part of a simple or multi-valued attribute is a path: `resolvePath` refuses it if it is wrong.
 */
function isPathOfType(name: string, context: ParseContext): boolean {
  if (!looksLikePath.test(name)) return false
  const [beforeFilter = ''] = name.split('[', 1)
  const named = resolveName(withColonAfterUrn(beforeFilter, context), context)
  if (named.kind === 'unknown' && !hasNoSuchPart(named.owner)) return false
  return context.tolerances.admits('paths-as-keys')
}

/** Returns whether an unknown sub-attribute belongs to a simple or multi-valued attribute. */
const hasNoSuchPart = (owner: ResolvedAttribute | undefined): boolean =>
  owner !== undefined && (owner.attribute.type !== 'complex' || owner.attribute.multiValued)

/** Matches a key that contains a sub-attribute, a URN or a value filter. */
const looksLikePath = /[.:[]/

/** One effect of an operation: it sets or removes an attribute. */
export interface Assignment {
  readonly op: 'add' | 'remove' | 'replace'
  readonly target: AttributeTarget
  /** For a remove, the values to remove, if it lists any. */
  readonly value: JsonValue | undefined
}

/** Returns the attributes and sub-attributes that assignments write. */
export const assignedAttributes = (assignments: readonly Assignment[]): readonly Attribute[] =>
  assignments.flatMap(({ target: { attribute, subAttribute } }) =>
    subAttribute === undefined ? [attribute, ...attribute.subAttributes] : [attribute, subAttribute],
  )

type Op = Assignment['op']

/**
 * Resolves a path to its target (RFC 7644 §3.5.2, §3.10).
 * @throws ScimError invalidPath — reasons `path_syntax`, `path_unknown`, `path_filter`; invalidFilter — the reasons of
 * `resolveFilter`, for a filter in the path (RFC 7644 §3.12, table 9).
 */
function resolvePath(text: string, context: ParseContext): PatchTarget {
  // RFC 7644 §3.10: a URN alone targets all attributes of its schema. It is looked up first because its end may not be a valid
  // attribute name.
  const schema = findSchema(text, context)
  if (schema !== undefined) return { kind: 'schema', schema }

  const path = parsePath(withColonAfterUrn(text, context), context.tolerances)
  const found = resolveAttributeName(path.attribute, context)
  // RFC 7644 §3.12 invalidPath: no such attribute. Without its path an operation would do nothing, with success.
  if (found.kind !== 'attribute')
    throw refuse('path_unknown', {
      value: printAttributeName(path.attribute),
      suggestion: suggestAttribute(path.attribute, context.resourceType),
    })

  const where = path.filter === undefined ? undefined : resolveSelection(path.filter, found.attribute, context)
  // RFC 7644 §3.5.2: valuePath; the values of a sub-attribute cannot be selected.
  if (where !== undefined && found.subAttribute !== undefined)
    throw refuse('path_filter', { attribute: attributeLabel(found) })
  const afterFilter =
    path.subName === undefined ? undefined : found.attribute.subAttributesByName.get(nameKey(path.subName))
  // RFC 7644 §3.12 invalidPath: no such sub-attribute.
  if (path.subName !== undefined && afterFilter === undefined)
    throw refuse('path_unknown', { attribute: attributeLabel(found), value: path.subName })
  return {
    kind: 'attribute',
    extension: found.extension,
    attribute: found.attribute,
    where,
    subAttribute: afterFilter ?? found.subAttribute,
  }
}

/**
 * Replaces with a colon the dot that Microsoft's sample requests put between the URN of an extension and an attribute.
 */
function withColonAfterUrn(text: string, { resourceType, tolerances }: ParseContext): string {
  if (!text.includes(':')) return text
  const key = nameKey(text)
  const urn = [...resourceType.extensionsByUrn.keys()].find((candidate) => key.startsWith(`${candidate}.`))
  if (urn === undefined || !tolerances.admits('dot-after-urn')) return text
  return `${text.slice(0, urn.length)}:${text.slice(urn.length + 1)}`
}

function resolveSelection(node: FilterNode, attribute: Attribute, { tolerances }: ParseContext): ElementSelection {
  // RFC 7644 §3.5.2: a filter selects complex values.
  if (attribute.type !== 'complex' || !attribute.multiValued) throw refuse('path_filter', { attribute: attribute.name })
  const filter = resolveValueFilter(node, attribute, tolerances)
  refuseComputed(filter, attribute)
  return {
    filter,
    describedElement: (counter) => elementFromFilter(node, attribute, counter),
  }
}

/**
 * Refuses to select values by what the server adds to responses, such as the `$ref` of a member. Stored values do not have
 * it, so an operation that removes a member would remove nobody, with success.
 */
function refuseComputed(filter: ResolvedFilter, attribute: Attribute): void {
  if (filter.kind === 'and' || filter.kind === 'or') {
    for (const operand of filter.operands) refuseComputed(operand, attribute)
  } else if (filter.kind === 'not') {
    refuseComputed(filter.operand, attribute)
  } else {
    const sub = attribute.subAttributesByName.get(nameKey(filter.attribute.name))
    // RFC 7644 §3.4.2.2 invalidFilter.
    if (sub !== undefined && !isWritable(sub))
      throw refuse('filter_attribute_unsearchable', { attribute: `${attribute.name}.${sub.name}` })
  }
}

/** The target of a path: an attribute, or some of its values. */
interface AttributeTarget {
  readonly kind: 'attribute'
  /** The URN of the extension that defines the attribute. */
  readonly extension: string | undefined
  readonly attribute: Attribute
  /** Selects values; undefined for all. */
  readonly where: ElementSelection | undefined
  readonly subAttribute: Attribute | undefined
}

/** The values of a multi-valued attribute that a filter selects. */
interface ElementSelection {
  readonly filter: ResolvedFilter
  /** The value that the filter describes completely, such as {"type":"work"} for `type eq "work"`; otherwise undefined. */
  readonly describedElement: (tolerances: ToleranceCounter) => JsonObject | undefined
}

/** The target of a path (RFC 7644 §3.5.2): an attribute, or all attributes of a schema. */
type PatchTarget = AttributeTarget | { readonly kind: 'schema'; readonly schema: Schema }

/** A parsed path (RFC 7644 §3.5.2, figure 7): `attribute`, `attribute.sub`, `attribute[filter]`, `attribute[filter].sub`. */
interface PathNode {
  readonly attribute: AttributeName
  readonly filter: FilterNode | undefined
  /** The name after the brackets. */
  readonly subName: string | undefined
}

/**
 * Parses a path with the filter parser, within limits of its own.
 * @throws ScimError invalidPath — reason `path_syntax`, with the parser's own refusal as its cause.
 */
export function parsePath(text: string, tolerances: ToleranceCounter = createToleranceCounter(new Set())): PathNode {
  try {
    return readPath(text, tolerances)
  } catch (cause) {
    // RFC 7644 §3.12 invalidPath: a malformed filter makes the path malformed. Any other error is a fault of this
    // server and passes through.
    // A filter contains values of users, so only the name before it is repeated.
    if (cause instanceof ScimError) throw refuse('path_syntax', { cause, value: text.replace(/\[.*/s, '[') })
    throw cause
  }
}

function readPath(text: string, tolerances: ToleranceCounter): PathNode {
  // Most paths are plain names, which need no filter parser.
  const name = parseAttributeName(text)
  if (name !== undefined) return Object.freeze({ attribute: name, filter: undefined, subName: undefined })

  const cursor = openCursor(text, pathLimits)
  const parser = createFilterParser(cursor, tolerances, pathLimits)
  requireNoSpace(cursor)
  const attribute = readName(parser)
  requireNoSpace(cursor)
  const filter = cursor.peek().kind === '[' ? readValueFilter(parser) : undefined
  const sub = filter === undefined ? undefined : readSubName(parser)
  requireNoSpace(cursor)
  readEnd(parser)
  return Object.freeze({ attribute, filter, subName: sub?.name })
}

/** Lower than the limits of a filter, because a path selects one value or a few, and a request has many paths. */
const pathLimits: FilterLimits = { length: 4096, parts: 200 }

/** Refuses a space before the next token: a path has spaces only inside its filter (RFC 7644 §3.5.2, figure 7). */
function requireNoSpace(cursor: FilterCursor): void {
  if (cursor.peek().gap) throw refuse('path_syntax')
}

/**
 * Returns the value that a filter describes: {"type":"work"} for `type eq "work"`. Returns undefined unless the filter
 * consists of equalities, because any other filter describes many values or none.
 * @param node a filter that has been resolved, so its names and types are valid.
 */
function elementFromFilter(node: FilterNode, parent: Attribute, tolerances: ToleranceCounter): JsonObject | undefined {
  const parts = new Map<string, JsonValue>()
  for (const operand of node.kind === 'and' ? node.operands : [node]) {
    const sub = isEquality(operand) ? parent.subAttributesByName.get(nameKey(operand.attribute.name)) : undefined
    if (!isEquality(operand) || sub === undefined || !isWritable(sub) || parts.has(sub.name)) return undefined
    parts.set(sub.name, readSimple(sub, toJson(operand.value, sub), tolerances))
  }
  return toObject(parts)
}

const isEquality = (node: FilterNode): node is CompareNode =>
  node.kind === 'compare' && node.operator === 'eq' && node.value.kind !== 'null'

function toJson(value: FilterLiteral, { type }: Attribute): JsonValue {
  switch (value.kind) {
    case 'text':
    case 'boolean':
      return value.value
    case 'bare':
      return value.text
    case 'number':
      return type === 'integer' || type === 'decimal' ? Number(value.text) : value.text
    case 'null':
      return null
    default:
      return value satisfies never
  }
}
