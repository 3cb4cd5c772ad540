import type { JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { isArray, isObject } from '../json/json-object.ts'
import { sameValue } from '../json/same-value.ts'
import type { Attribute } from '../schema/attribute.ts'
import type { ToleranceCounter } from '../tolerance/tolerance-counter.ts'
import { complexOf, readParts, readValue } from '../value/read-value.ts'
import { keepImmutableParts } from '../value/replace-elements.ts'
import { unwrapValue } from '../value/unwrap-value.ts'
import { assignList } from './assign-list.ts'
import type { Assignment } from './assignment.ts'
import { admitListed, removeListed } from './remove-listed.ts'

/** An operation on a value, and what is tolerated. */
export interface Change extends Pick<Assignment, 'op' | 'value'> {
  readonly tally: ToleranceCounter
}

/** The value of an attribute or sub-attribute as a whole, after an operation on it (RFC 7644 §3.5.2.1 to §3.5.2.3). */
export function assignValue(
  attribute: Attribute,
  current: JsonValue | undefined,
  change: Change,
): JsonValue | undefined {
  const next = written(attribute, current, change)
  // RFC 7643 §7 mutability: once it has a value, it has no other.
  if (attribute.mutability === 'immutable' && current !== undefined && !sameValue(current, next)) {
    throw refusal('attribute_immutable', { attribute: attribute.name })
  }
  return next
}

function written(
  attribute: Attribute,
  current: JsonValue | undefined,
  { op, value, tally }: Change,
): JsonValue | undefined {
  // RFC 7643 §2.5: null is no value; RFC 7644 §3.5.2 wants one. .NET clients send null for nothing.
  if (value === null && !tally.admits('null-means-absent'))
    throw refusal('value_missing', { attribute: attribute.name })
  if (op === 'add' && value === null && attribute.multiValued) return current
  if (value === null || value === undefined) return removed(attribute)
  if (op === 'remove') return withoutListed(attribute, current, { value, tally })
  if (attribute.multiValued) return assignList(attribute, isArray(current) ? current : [], { op, value, tally })
  return attribute.type === 'complex'
    ? merged(attribute, current, { value, tally })
    : readValue(attribute, value, tally)
}

function removed(attribute: Attribute): undefined {
  // RFC 7644 §3.5.2.2: what is required is not removed.
  if (attribute.required) throw refusal('attribute_required', { attribute: attribute.name })
  return undefined
}

interface Given {
  readonly value: JsonValue
  readonly tally: ToleranceCounter
}

/** A remove that says in its value what goes. */
function withoutListed(
  attribute: Attribute,
  current: JsonValue | undefined,
  { value, tally }: Given,
): JsonValue | undefined {
  if (!attribute.multiValued) {
    admitListed(attribute, tally)
    return removed(attribute)
  }
  const left = removeListed(attribute, isArray(current) ? current : [], { value, tally })
  return left.length === 0 ? removed(attribute) : left
}

/** RFC 7644 §3.5.2.3: of a complex value the parts that are given are put in place, the others stay. */
function merged(attribute: Attribute, current: JsonValue | undefined, { value, tally }: Given): JsonValue | undefined {
  const given = unwrapValue(attribute, value, tally)
  if (given === undefined) return removed(attribute)
  const before = isObject(current) ? current : {}
  const after = complexOf(attribute, [...Object.entries(before), ...readParts(attribute, given, tally)])
  return after === undefined ? undefined : keepImmutableParts(attribute, current, after)
}
