import { refusal } from '../error/refusal.ts'
import type { FilterNode } from '../filter/filter-node.ts'
import { resolveValueFilter } from '../filter/resolve-filter.ts'
import type { Attribute } from '../schema/attribute.ts'
import { attributeLabel, findAttribute } from '../schema/find-attribute.ts'
import { findSchema } from '../schema/find-schema.ts'
import { nameKey } from '../schema/name-key.ts'
import { suggestAttribute } from '../schema/suggest-attribute.ts'
import type { ParseContext } from '../tolerance/parse-context.ts'
import { parsePath } from './parse-path.ts'
import type { ElementSelection, PatchTarget } from './patch-target.ts'
import { seedOf } from './seed-element.ts'

/**
 * Looks up what a path leads to (RFC 7644 §3.5.2, §3.10).
 * @throws ScimError invalidPath — reasons `path_syntax`, `path_unknown`, `path_filter`; invalidFilter — the reasons of
 * `resolveFilter`, for a filter in the path (RFC 7644 §3.12, table 9).
 */
export function resolvePath(text: string, reading: ParseContext): PatchTarget {
  // RFC 7644 §3.10: a URN alone leads to all attributes of its schema; it may end as no attribute's name does.
  const schema = findSchema(text, reading)
  if (schema !== undefined) return { kind: 'schema', schema }

  const path = parsePath(text, reading.tolerances)
  const found = findAttribute(path.attribute, reading)
  // RFC 7644 §3.12 invalidPath: no such attribute.
  if (found === undefined)
    throw refusal('path_unknown', { suggestion: suggestAttribute(path.attribute, reading.resourceType) })

  const where = path.filter === undefined ? undefined : selectionOf(path.filter, found.attribute, reading)
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

function selectionOf(node: FilterNode, attribute: Attribute, { tolerances: tally }: ParseContext): ElementSelection {
  // RFC 7644 §3.5.2: a filter selects among complex values.
  if (attribute.type !== 'complex' || !attribute.multiValued)
    throw refusal('path_filter', { attribute: attribute.name })
  return { filter: resolveValueFilter(node, attribute, tally), seed: () => seedOf(node, attribute, tally) }
}
