import { mapInPieces, type Pieces, runAtOnce } from '@mintmark/internal'
import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { refuse } from '../error/scim-error.ts'
import { comparableValue } from './resource.ts'
import type { Attribute } from '../schema/schema.ts'
import { getMember, isObject, sameValue, toObject, withMember } from '../values/json.ts'
import { foldCase, nameKey } from '../values/text.ts'

/**
 * Returns a function that computes the key of a value (RFC 7643 §2.4). The key consists of `value` and `type`, because
 * a pair should not occur twice; of `value` alone if `type` follows from it, as for members; of all sub-attributes
 * except `primary` when there is no `value`.
 */
export function elementKeys(attribute: Attribute): (element: JsonValue) => string {
  const valueAttribute = attribute.subAttributesByName.get('value')
  const typeAttribute = attribute.subAttributesByName.get('type')
  const type = typeAttribute?.mutability === 'readWrite' ? typeAttribute : undefined
  return (element) => {
    if (!isObject(element)) return simpleKey(attribute, element)
    const value = getMember(element, 'value')
    if (valueAttribute === undefined || value === undefined) return partsKey(attribute, element)
    return type === undefined
      ? simpleKey(valueAttribute, value)
      : `${simpleKey(valueAttribute, value)}\0${partKey(type, element)}`
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
export function* addElementsInPieces(
  attribute: Attribute,
  existing: readonly JsonValue[],
  added: readonly JsonValue[],
): Pieces<readonly JsonValue[]> {
  const keyOf = elementKeys(attribute)
  const addedByKey = new Map<string, JsonValue>()
  yield* mapInPieces(added, (element) => {
    const key = keyOf(element)
    addedByKey.set(key, mergeElements(attribute, addedByKey.get(key), element))
  })
  const merged = yield* mapInPieces(existing, (element) => {
    const key = keyOf(element)
    const addition = addedByKey.get(key)
    return addition !== undefined && addedByKey.delete(key) ? mergeElements(attribute, element, addition) : element
  })
  return [...merged, ...addedByKey.values()]
}

/** The same as `addElementsInPieces`, in one piece. */
export const addElements = (
  attribute: Attribute,
  existing: readonly JsonValue[],
  added: readonly JsonValue[],
): readonly JsonValue[] => runAtOnce(addElementsInPieces(attribute, existing, added))

/** Returns whether two lists contain the same values equally often. Their order is not significant (RFC 7643 §2.4). */
function* haveSameElements(
  attribute: Attribute,
  one: readonly JsonValue[],
  other: readonly JsonValue[],
): Pieces<boolean> {
  if (one.length !== other.length) return false
  const keyOf = elementKeys(attribute)
  const remaining = new Map<string, JsonValue[]>()
  yield* mapInPieces(other.toReversed(), (element) => {
    const key = keyOf(element)
    const same = remaining.get(key)
    if (same === undefined) remaining.set(key, [element])
    else same.push(element)
  })
  const same = yield* mapInPieces(one, (element) => sameValue(element, remaining.get(keyOf(element))?.pop()))
  return !same.includes(false)
}

function mergeElements(attribute: Attribute, existing: JsonValue | undefined, added: JsonValue): JsonValue {
  if (existing === undefined) return added
  if (!isObject(existing) || !isObject(added)) return existing
  const changeable = Object.entries(added).filter(
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
export function* replaceElementsInPieces(
  attribute: Attribute,
  current: readonly JsonValue[],
  replacement: readonly JsonValue[],
): Pieces<readonly JsonValue[]> {
  const keyOf = elementKeys(attribute)
  const before = new Map<string, JsonValue>()
  yield* mapInPieces(current, (element) => before.set(keyOf(element), element))
  const replaced = yield* mapInPieces(replacement, (element) =>
    keepImmutableParts(attribute, before.get(keyOf(element)), element),
  )
  return (yield* haveSameElements(attribute, current, replaced)) ? current : replaced
}

/** Returns a changed complex value with the immutable sub-attributes that it had before. */
export function keepImmutableParts(attribute: Attribute, before: JsonValue | undefined, after: JsonValue): JsonValue {
  const immutable = attribute.subAttributes.filter(({ mutability }) => mutability === 'immutable')
  if (immutable.length === 0 || !isObject(before) || !isObject(after)) return after
  const immutableValues = immutable.map((sub) => {
    const { name } = sub
    const previous = getMember(before, name)
    const next = getMember(after, name)
    // RFC 7643 §7 mutability: an immutable value cannot change. RFC 7643 §4.2: members are added and removed, not edited.
    if (
      previous !== undefined &&
      next !== undefined &&
      !sameValue(comparableValue(sub, previous), comparableValue(sub, next))
    ) {
      throw refuse('attribute_immutable', { attribute: `${attribute.name}.${name}` })
    }
    return [name, previous ?? next] as const
  })
  return toObject([...Object.entries(after), ...immutableValues])
}
