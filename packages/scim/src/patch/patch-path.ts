import type { JsonObject, JsonValue, ResolvedFilter } from '@mintmark/storage-interface'

import { refusal, ScimError } from '../error/scim-error.ts'
import type { CompareNode, FilterLiteral, FilterNode } from '../filter/filter-node.ts'
import {
  createFilterParser,
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
  suggestAttribute,
} from '../schema/find-attribute.ts'
import { type Attribute, nameKey, type Schema } from '../schema/schema.ts'
import { createToleranceCounter, type ParseContext, type ToleranceCounter } from '../tolerance/tolerances.ts'
import { toObject } from '../values/json.ts'
import { readSimple } from '../values/read-value.ts'

/**
 * Resolves a path to its target (RFC 7644 §3.5.2, §3.10).
 * @throws ScimError invalidPath — reasons `path_syntax`, `path_unknown`, `path_filter`; invalidFilter — the reasons of
 * `resolveFilter`, for a filter in the path (RFC 7644 §3.12, table 9).
 */
export function resolvePath(text: string, context: ParseContext): PatchTarget {
  // RFC 7644 §3.10: a URN alone targets all attributes of its schema. It is looked up first because its end may not be a valid
  // attribute name.
  const schema = findSchema(text, context)
  if (schema !== undefined) return { kind: 'schema', schema }

  const path = parsePath(text, context.tolerances)
  const found = findAttribute(path.attribute, context)
  // RFC 7644 §3.12 invalidPath: no such attribute.
  if (found === undefined)
    throw refusal('path_unknown', { suggestion: suggestAttribute(path.attribute, context.resourceType) })

  const where = path.filter === undefined ? undefined : selectionOf(path.filter, found.attribute, context)
  // RFC 7644 §3.5.2: valuePath; the values of a sub-attribute cannot be selected.
  if (where !== undefined && found.subAttribute !== undefined)
    throw refusal('path_filter', { attribute: attributeLabel(found) })
  const below = path.subName === undefined ? undefined : found.attribute.subAttributesByName.get(nameKey(path.subName))
  // RFC 7644 §3.12 invalidPath: no such sub-attribute.
  if (path.subName !== undefined && below === undefined)
    throw refusal('path_unknown', { attribute: attributeLabel(found) })
  return {
    kind: 'attribute',
    extension: found.extension,
    attribute: found.attribute,
    where,
    subAttribute: below ?? found.subAttribute,
  }
}

function selectionOf(node: FilterNode, attribute: Attribute, { tolerances }: ParseContext): ElementSelection {
  // RFC 7644 §3.5.2: a filter selects complex values.
  if (attribute.type !== 'complex' || !attribute.multiValued)
    throw refusal('path_filter', { attribute: attribute.name })
  return {
    filter: resolveValueFilter(node, attribute, tolerances),
    describedElement: (counter) => elementFromFilter(node, attribute, counter),
  }
}

/** An attribute as the target of a path, or some of its values. */
export interface AttributeTarget {
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
export type PatchTarget = AttributeTarget | { readonly kind: 'schema'; readonly schema: Schema }

/** A parsed path (RFC 7644 §3.5.2, figure 7): `attribute`, `attribute.sub`, `attribute[filter]`, `attribute[filter].sub`. */
interface PathNode {
  readonly attribute: AttributeName
  readonly filter: FilterNode | undefined
  /** The name after the brackets. */
  readonly subName: string | undefined
}

/**
 * Parses a path with the filter parser and within the same limits.
 * @throws ScimError invalidPath — reason `path_syntax`, with the parser's own refusal as its cause.
 */
export function parsePath(text: string, tolerances: ToleranceCounter = createToleranceCounter(new Set())): PathNode {
  try {
    return readPath(text, tolerances)
  } catch (cause) {
    // RFC 7644 §3.12 invalidPath: a malformed filter makes the path malformed. Other errors are ours and pass through.
    if (cause instanceof ScimError) throw refusal('path_syntax', { cause })
    throw cause
  }
}

function readPath(text: string, tolerances: ToleranceCounter): PathNode {
  const place = createFilterParser(openCursor(text), tolerances)
  const attribute = readName(place)
  const filter = place.cursor.peek().kind === '[' ? readValueFilter(place) : undefined
  const sub = filter === undefined ? undefined : readSubName(place)
  readEnd(place)
  return Object.freeze({ attribute, filter, subName: sub?.name })
}

/**
 * The value that a filter describes: {"type":"work"} for `type eq "work"`. Undefined unless the filter consists of equalities,
 * because any other filter describes many values or none.
 * @param node a filter that has been resolved, so its names and types are valid.
 */
function elementFromFilter(node: FilterNode, parent: Attribute, tolerances: ToleranceCounter): JsonObject | undefined {
  const parts = new Map<string, JsonValue>()
  for (const operand of node.kind === 'and' ? node.operands : [node]) {
    const sub = isEquality(operand) ? parent.subAttributesByName.get(nameKey(operand.attribute.name)) : undefined
    if (!isEquality(operand) || sub === undefined || sub.mutability === 'readOnly' || parts.has(sub.name))
      return undefined
    parts.set(sub.name, readSimple(sub, jsonOf(operand.value, sub), tolerances))
  }
  return toObject(parts)
}

const isEquality = (node: FilterNode): node is CompareNode =>
  node.kind === 'compare' && node.operator === 'eq' && node.value.kind !== 'null'

function jsonOf(value: FilterLiteral, { type }: Attribute): JsonValue {
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
