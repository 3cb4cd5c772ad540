import type { JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { isArray, isObject, memberOf } from '../json/json-object.ts'
import { membersByName } from '../json/members-by-name.ts'
import type { Attribute } from '../schema/attribute.ts'
import { nameKey } from '../schema/name-key.ts'
import type { ToleranceCounter } from '../tolerance/tolerance-counter.ts'
import { elementKeys, simpleKey } from '../value/element-list.ts'
import { readElements } from '../value/read-value.ts'

interface Listed {
  readonly value: JsonValue
  readonly tally: ToleranceCounter
}

/**
 * A list without the values that a remove lists: each goes whose `value` is listed, and whose `type` is, when the list
 * says one. What is listed and not there is no error.
 */
export function removeListed(attribute: Attribute, current: readonly JsonValue[], given: Listed): readonly JsonValue[] {
  const listed = new Map<string, Set<string | undefined>>()
  for (const element of listedElements(attribute, given)) {
    const key = valueKey(attribute, element)
    listed.set(key, (listed.get(key) ?? new Set()).add(typeKey(attribute, element)))
  }
  return current.filter((element) => {
    const types = listed.get(valueKey(attribute, element))
    return types === undefined || !(types.has(undefined) || types.has(typeKey(attribute, element)))
  })
}

/**
 * The values that a remove lists.
 * @throws ScimError invalidSyntax — reason `remove_with_value`; and the reasons of `readValue`.
 */
export function listedElements(attribute: Attribute, { value, tally }: Listed): readonly JsonValue[] {
  admitListed(attribute, tally)
  const items = nestedItems(attribute, value, tally)
  return readElements(attribute, isArray(items) ? items : [items], tally)
}

/**
 * Lets a remove pass that says in its value what goes.
 * @throws ScimError invalidSyntax — reason `remove_with_value`.
 */
export function admitListed(attribute: Attribute, tally: ToleranceCounter): void {
  // RFC 7644 §3.5.2.2: remove has no value. Ignoring one would empty a group of which one member was to leave.
  if (!tally.admits('remove-with-value')) throw refusal('remove_with_value', { attribute: attribute.name })
}

/** {"members":[{"value":"u1"}]} for [{"value":"u1"}]. */
function nestedItems(attribute: Attribute, value: JsonValue, tally: ToleranceCounter): JsonValue {
  if (!isObject(value)) return value
  const members = membersByName(value)
  const nested = members.size === 1 ? members.get(nameKey(attribute.name))?.value : undefined
  return nested !== undefined && tally.admits('remove-with-nested-value') ? nested : value
}

function valueKey(attribute: Attribute, element: JsonValue): string {
  const sub = attribute.subAttributesByName.get('value')
  const value = sub !== undefined && isObject(element) ? memberOf(element, sub.name) : undefined
  return sub === undefined || value === undefined ? elementKeys(attribute)(element) : simpleKey(sub, value)
}

/** Where `type` tells values apart; the type of a member follows from who it is. */
function typeKey(attribute: Attribute, element: JsonValue): string | undefined {
  const sub = attribute.subAttributesByName.get('type')
  const type = sub?.mutability === 'readWrite' && isObject(element) ? memberOf(element, sub.name) : undefined
  return sub === undefined || type === undefined ? undefined : simpleKey(sub, type)
}
