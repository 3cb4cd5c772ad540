import type { JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { isArray } from '../json/json-object.ts'
import type { Attribute } from '../schema/attribute.ts'
import type { ToleranceCounter } from '../tolerance/tolerance-counter.ts'
import { addElements, elementKeys } from '../value/element-list.ts'
import { primaryElements, withOnePrimary } from '../value/one-primary.ts'
import { readElements } from '../value/read-value.ts'
import { replaceElements } from '../value/replace-elements.ts'

interface ListChange {
  readonly op: 'add' | 'replace'
  readonly value: JsonValue
  readonly tally: ToleranceCounter
}

/** The values of a multi-valued attribute after some were added (RFC 7644 §3.5.2.1), or all replaced (§3.5.2.3). */
export function assignList(
  attribute: Attribute,
  current: readonly JsonValue[],
  { op, value, tally }: ListChange,
): JsonValue | undefined {
  // RFC 7644 §3.5.2.1: "a new value is added", with or without an array around it.
  const given = readElements(attribute, op === 'add' && !isArray(value) ? [value] : value, tally)
  const next = op === 'add' ? added(attribute, current, given) : replaceElements(attribute, current, given)
  return next.length === 0 ? undefined : next
}

function added(attribute: Attribute, current: readonly JsonValue[], given: readonly JsonValue[]): readonly JsonValue[] {
  const next = addElements(attribute, current, given)
  // RFC 7643 §2.4 sets no bound; this server does.
  if (next.length > attribute.maxValues) throw refusal('value_too_many', { attribute: attribute.name })
  const [primary] = primaryElements(given)
  if (primary === undefined) return next
  const keyOf = elementKeys(attribute)
  const key = keyOf(primary)
  const claimant = next.find((element) => keyOf(element) === key)
  return claimant === undefined ? next : withOnePrimary(next, claimant)
}
