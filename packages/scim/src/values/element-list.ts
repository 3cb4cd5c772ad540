import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/scim-error.ts'
import { comparableValue } from '../resource/resource.ts'
import type { Attribute } from '../schema/schema.ts'
import { getMember, isObject, sameValue, toObject, withMember } from './json.ts'
import { foldCase, nameKey } from './text.ts'

/**
 * Returns a function that computes the key of a value (RFC 7643 §2.4). The key consists of `value` and `type`, because
 * a pair should not occur twice; of `value` alone if `type` follows from it, as for members; of all sub-attributes
 * except `primary` when there is no `value`.
 */
export function elementKeys(attribute: Attribute): (element: JsonValue) => string {
  const valued = attribute.subAttributesByName.get('value')
  const typed = attribute.subAttributesByName.get('type')
  const type = typed?.mutability === 'readWrite' ? typed : undefined
  return (element) => {
    if (!isObject(element)) return simpleKey(attribute, element)
    const value = getMember(element, 'value')
    if (valued === undefined || value === undefined) return partsKey(attribute, element)
    return type === undefined ? simpleKey(valued, value) : `${simpleKey(valued, value)}\0${partKey(type, element)}`
  }
}

/** Returns the key of a simple value, folded where its case is not significant. */
export function simpleKey({ caseExact }: Attribute, value: JsonValue): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  return caseExact ? value : foldCase(value)
}

/**
 * Adds values to a list (RFC 7644 §3.5.2.1). An existing value keeps its position. It gets the sub-attributes of the
 * added value, except those that are immutable and already set.
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

/** Returns whether two lists contain the same values equally often. Their order is not significant (RFC 7643 §2.4). */
function sameElements(attribute: Attribute, one: readonly JsonValue[], other: readonly JsonValue[]): boolean {
  if (one.length !== other.length) return false
  const keyOf = elementKeys(attribute)
  const left = new Map<string, JsonValue[]>()
  for (const element of other.toReversed()) {
    const key = keyOf(element)
    const same = left.get(key)
    if (same === undefined) left.set(key, [element])
    else same.push(element)
  }
  return one.every((element) => sameValue(element, left.get(keyOf(element))?.pop()))
}

function mergeElements(attribute: Attribute, existing: JsonValue | undefined, given: JsonValue): JsonValue {
  if (existing === undefined) return given
  if (!isObject(existing) || !isObject(given)) return existing
  const changeable = Object.entries(given).filter(
    ([name]) =>
      !Object.hasOwn(existing, name) || attribute.subAttributesByName.get(nameKey(name))?.mutability !== 'immutable',
  )
  return toObject([...Object.entries(existing), ...changeable])
}

const partsKey = (attribute: Attribute, element: JsonObject): string =>
  attribute.subAttributes
    .filter(({ name }) => name !== 'primary')
    .map((sub) => partKey(sub, element))
    .join('\0')

function partKey(sub: Attribute, element: JsonObject): string {
  const value = getMember(element, sub.name)
  return value === undefined ? '' : simpleKey(sub, value)
}

/** Returns the values with `primary: true`. */
export const primaryElements = (elements: readonly JsonValue[]): readonly JsonValue[] =>
  elements.filter((element) => isObject(element) && isPrimary(element))

/** Sets `primary` to false in all other values (RFC 7644 §3.5.2). */
export const withSinglePrimary = (elements: readonly JsonValue[], primary: JsonValue): readonly JsonValue[] =>
  elements.map((element) =>
    element !== primary && isObject(element) && isPrimary(element) ? withMember(element, 'primary', false) : element,
  )

const isPrimary = (element: JsonObject): boolean => getMember(element, 'primary') === true

/**
 * Replaces a list (RFC 7644 §3.5.1, §3.5.2.3). A value in both lists keeps its immutable sub-attributes, which cannot be changed
 * (RFC 7643 §4.2). Returns the current list when both contain the same values in any order.
 * @throws ScimError mutability — reason `attribute_immutable`.
 */
export function replaceElements(
  attribute: Attribute,
  current: readonly JsonValue[],
  given: readonly JsonValue[],
): readonly JsonValue[] {
  const keyOf = elementKeys(attribute)
  const before = new Map(current.map((element) => [keyOf(element), element]))
  const replaced = given.map((element) => keepImmutableParts(attribute, before.get(keyOf(element)), element))
  return sameElements(attribute, current, replaced) ? current : replaced
}

/** Returns a changed complex value with the immutable sub-attributes that it had before. */
export function keepImmutableParts(attribute: Attribute, before: JsonValue | undefined, after: JsonValue): JsonValue {
  const immutable = attribute.subAttributes.filter(({ mutability }) => mutability === 'immutable')
  if (immutable.length === 0 || !isObject(before) || !isObject(after)) return after
  const kept = immutable.map((sub) => {
    const { name } = sub
    const was = getMember(before, name)
    const is = getMember(after, name)
    // RFC 7643 §7 mutability: an immutable value cannot change. RFC 7643 §4.2: members are added and removed, not edited.
    if (was !== undefined && is !== undefined && !sameValue(comparableValue(sub, was), comparableValue(sub, is))) {
      throw refusal('attribute_immutable', { attribute: `${attribute.name}.${name}` })
    }
    return [name, was ?? is] as const
  })
  return toObject([...Object.entries(after), ...kept])
}
