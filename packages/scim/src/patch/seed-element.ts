import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import type { CompareNode, FilterLiteral, FilterNode } from '../filter/filter-node.ts'
import { objectOf } from '../json/json-object.ts'
import type { Attribute } from '../schema/attribute.ts'
import { nameKey } from '../schema/name-key.ts'
import type { ToleranceCounter } from '../tolerance/tolerance-counter.ts'
import { readSimple } from '../value/read-simple.ts'

/**
 * The value that a filter describes, when it says of some sub-attributes what they are equal to, and nothing else:
 * {"type":"work"} for `type eq "work"`. With anything else in it the filter describes many values, or none.
 * @param node a filter that was resolved before, so its names and types are right.
 */
export function seedOf(node: FilterNode, parent: Attribute, tally: ToleranceCounter): JsonObject | undefined {
  const parts = new Map<string, JsonValue>()
  for (const operand of node.kind === 'and' ? node.operands : [node]) {
    const sub = isEquality(operand) ? parent.subAttributesByName.get(nameKey(operand.attribute.name)) : undefined
    if (!isEquality(operand) || sub === undefined || sub.mutability === 'readOnly' || parts.has(sub.name))
      return undefined
    parts.set(sub.name, readSimple(sub, jsonOf(operand.value, sub), tally))
  }
  return objectOf(parts)
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
