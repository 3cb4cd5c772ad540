import type { JsonObject, JsonValue, ResolvedFilter } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { ScimError } from '../error/scim-error.ts'
import type { CompareNode, FilterLiteral, FilterNode } from '../filter/filter-node.ts'
import { openCursor } from '../filter/filter-tokens.ts'
import { readEnd, readName, readSubName, readValueFilter, createFilterParser } from '../filter/parse-filter.ts'
import { resolveValueFilter } from '../filter/resolve-filter.ts'
import {
  attributeLabel,
  type AttributeName,
  findAttribute,
  findSchema,
  suggestAttribute,
} from '../schema/find-attribute.ts'
import { type Attribute, nameKey, type Schema } from '../schema/schema.ts'
import { createToleranceCounter, type ParseContext, type ToleranceCounter } from '../tolerance/tolerance-counter.ts'
import { toObject } from '../values/json.ts'
import { readSimple } from '../values/read-value.ts'

/**
 * Looks up what a path leads to (RFC 7644 §3.5.2, §3.10).
 * @throws ScimError invalidPath — reasons `path_syntax`, `path_unknown`, `path_filter`; invalidFilter — the reasons of
 * `resolveFilter`, for a filter in the path (RFC 7644 §3.12, table 9).
 */
export function resolvePath(text: string, context: ParseContext): PatchTarget {
  // RFC 7644 §3.10: a URN alone leads to all attributes of its schema; it may end as no attribute's name does.
  const schema = findSchema(text, context)
  if (schema !== undefined) return { kind: 'schema', schema }

  const path = parsePath(text, context.tolerances)
  const found = findAttribute(path.attribute, context)
  // RFC 7644 §3.12 invalidPath: no such attribute.
  if (found === undefined)
    throw refusal('path_unknown', { suggestion: suggestAttribute(path.attribute, context.resourceType) })

  const where = path.filter === undefined ? undefined : selectionOf(path.filter, found.attribute, context)
  // RFC 7644 §3.5.2: valuePath; a sub-attribute has no values to select from.
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
  // RFC 7644 §3.5.2: a filter selects among complex values.
  if (attribute.type !== 'complex' || !attribute.multiValued)
    throw refusal('path_filter', { attribute: attribute.name })
  return {
    filter: resolveValueFilter(node, attribute, tolerances),
    describedElement: () => elementFromFilter(node, attribute, tolerances),
  }
}

/** An attribute that a path leads to, or values of it. */
export interface AttributeTarget {
  readonly kind: 'attribute'
  /** The URN of the extension that it belongs to. */
  readonly extension: string | undefined
  readonly attribute: Attribute
  /** Which of its values are meant; undefined for all. */
  readonly where: ElementSelection | undefined
  readonly subAttribute: Attribute | undefined
}

/** The values of a multi-valued attribute that a filter selects. */
export interface ElementSelection {
  readonly filter: ResolvedFilter
  /** A value that the filter describes, when it does so completely: `type eq "work"` is {"type":"work"}. */
  readonly describedElement: () => JsonObject | undefined
}

/** What a path leads to (RFC 7644 §3.5.2): an attribute, or the attributes of a whole schema. */
export type PatchTarget = AttributeTarget | { readonly kind: 'schema'; readonly schema: Schema }

/** A path as it was written (RFC 7644 §3.5.2, figure 7): `attribute`, `attribute.sub`, `attribute[filter]`, `attribute[filter].sub`. */
export interface PathNode {
  readonly attribute: AttributeName
  readonly filter: FilterNode | undefined
  /** What follows the brackets. */
  readonly subName: string | undefined
}

/**
 * Reads a path with the parser of filters, and within its bounds.
 * @throws ScimError invalidPath — reason `path_syntax`, with the parser's own refusal as its cause.
 */
export function parsePath(text: string, tolerances: ToleranceCounter = createToleranceCounter(new Set())): PathNode {
  try {
    return readPath(text, tolerances)
  } catch (cause) {
    // RFC 7644 §3.12 invalidPath: what is no filter is no path either; another failure is not the sender's.
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
 * The value that a filter describes, when it says of some sub-attributes what they are equal to, and nothing else:
 * {"type":"work"} for `type eq "work"`. With anything else in it the filter describes many values, or none.
 * @param node a filter that was resolved before, so its names and types are right.
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
