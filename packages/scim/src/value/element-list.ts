import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { isObject, memberOf, objectOf } from '../json/json-object.ts'
import { sameValue } from '../json/same-value.ts'
import type { Attribute } from '../schema/attribute.ts'
import { nameKey } from '../schema/name-key.ts'
import { foldCase } from '../text/fold-case.ts'

/**
 * What tells the values of an attribute apart (RFC 7643 §2.4): `value` and `type`, since no pair of them should appear
 * twice; where `type` follows from `value`, as with members, `value` alone; without a `value` everything but `primary`.
 */
export function elementKeys(attribute: Attribute): (element: JsonValue) => string {
  const valued = attribute.subAttributesByName.get('value')
  const typed = attribute.subAttributesByName.get('type')
  const type = typed?.mutability === 'readWrite' ? typed : undefined
  return (element) => {
    if (!isObject(element)) return simpleKey(attribute, element)
    const value = memberOf(element, 'value')
    if (valued === undefined || value === undefined) return partsKey(attribute, element)
    return type === undefined ? simpleKey(valued, value) : `${simpleKey(valued, value)}\0${partKey(type, element)}`
  }
}

/** A value of a simple attribute, in the form in which it is compared. */
export function simpleKey({ caseExact }: Attribute, value: JsonValue): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  return caseExact ? value : foldCase(value)
}

/**
 * A list with more values in it (RFC 7644 §3.5.2.1). A value that is there already takes on the parts that were given and
 * may change; its place stays.
 */
export function addElements(
  attribute: Attribute,
  existing: readonly JsonValue[],
  added: readonly JsonValue[],
): readonly JsonValue[] {
  const keyOf = elementKeys(attribute)
  const fresh = new Map<string, JsonValue>()
  for (const element of added) {
    const key = keyOf(element)
    fresh.set(key, mergeElements(attribute, fresh.get(key), element))
  }
  const kept = existing.map((element) => {
    const key = keyOf(element)
    const given = fresh.get(key)
    return given !== undefined && fresh.delete(key) ? mergeElements(attribute, element, given) : element
  })
  return [...kept, ...fresh.values()]
}

/** Whether two lists hold the same values, in any order (RFC 7643 §2.4: order says nothing). */
export function sameElements(attribute: Attribute, one: readonly JsonValue[], other: readonly JsonValue[]): boolean {
  if (one.length !== other.length) return false
  const keyOf = elementKeys(attribute)
  const found = new Map(other.map((element) => [keyOf(element), element]))
  return one.every((element) => sameValue(element, found.get(keyOf(element))))
}

function mergeElements(attribute: Attribute, existing: JsonValue | undefined, given: JsonValue): JsonValue {
  if (existing === undefined) return given
  if (!isObject(existing) || !isObject(given)) return existing
  const changeable = Object.entries(given).filter(
    ([name]) =>
      !Object.hasOwn(existing, name) || attribute.subAttributesByName.get(nameKey(name))?.mutability !== 'immutable',
  )
  return objectOf([...Object.entries(existing), ...changeable])
}

const partsKey = (attribute: Attribute, element: JsonObject): string =>
  attribute.subAttributes
    .filter(({ name }) => name !== 'primary')
    .map((sub) => partKey(sub, element))
    .join('\0')

function partKey(sub: Attribute, element: JsonObject): string {
  const value = memberOf(element, sub.name)
  return value === undefined ? '' : simpleKey(sub, value)
}
