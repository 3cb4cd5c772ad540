import { mapInPieces, type Pieces, runAtOnce } from '@mintmark/internal'
import type { JsonValue } from '@mintmark/storage-interface'

import { refuse } from '../error/scim-error.ts'
import type { Attribute } from '../schema/schema.ts'
import type { ToleranceCounter } from '../tolerance/tolerances.ts'
import {
  addElementsInPieces,
  elementKeys,
  keepImmutableParts,
  primaryElements,
  replaceElementsInPieces,
  simpleKey,
  withSinglePrimary,
} from '../resource/element-list.ts'
import { getMember, isArray, isObject, membersByName, sameValueInPieces } from '../values/json.ts'
import { buildComplexValue, readElementsInPieces, readParts, readValue, unwrapValue } from '../resource/read-value.ts'
import type { Assignment } from './parse-patch.ts'
import { nameKey } from '../values/text.ts'

/** An operation on a value. */
interface Change extends Pick<Assignment, 'op' | 'value'> {
  readonly tolerances: ToleranceCounter
}

/** Applies an operation to the whole value of an attribute or sub-attribute (RFC 7644 §3.5.2.1 to §3.5.2.3). */
export const assignValue = (
  attribute: Attribute,
  current: JsonValue | undefined,
  change: Change,
): JsonValue | undefined => runAtOnce(assignValueInPieces(attribute, current, change))

/** The same as `assignValue`, in pieces: a group may have a hundred thousand members. */
export function* assignValueInPieces(
  attribute: Attribute,
  current: JsonValue | undefined,
  change: Change,
): Pieces<JsonValue | undefined> {
  return yield* keepIfImmutable(attribute, current, yield* computeValue(attribute, current, change))
}

/**
 * Returns the next value of an attribute or sub-attribute.
 * @throws ScimError mutability — reason `attribute_immutable`.
 */
export function* keepIfImmutable(
  attribute: Attribute,
  current: JsonValue | undefined,
  next: JsonValue | undefined,
): Pieces<JsonValue | undefined> {
  // RFC 7643 §7 mutability: an immutable value cannot change.
  const isFixed = attribute.mutability === 'immutable' && current !== undefined
  if (isFixed && !(yield* sameValueInPieces(current, next))) {
    throw refuse('attribute_immutable', { attribute: attribute.name })
  }
  return next
}

function* computeValue(
  attribute: Attribute,
  current: JsonValue | undefined,
  { op, value, tolerances }: Change,
): Pieces<JsonValue | undefined> {
  // RFC 7643 §2.5: null is no value, but RFC 7644 §3.5.2 requires one. .NET clients send null to clear an attribute.
  if (value === null && !tolerances.admits('null-means-absent'))
    throw refuse('value_missing', { attribute: attribute.name })
  if (op === 'add' && value === null && attribute.multiValued) return current
  if (value === null || value === undefined) return clearAttribute(attribute)
  if (op === 'remove') return yield* applyRemoveWithValue(attribute, current, { value, tolerances })
  if (attribute.multiValued)
    return yield* assignList(attribute, isArray(current) ? current : [], { op, value, tolerances })
  return attribute.type === 'complex'
    ? mergeComplexValue(attribute, current, { value, tolerances })
    : readValue(attribute, value, tolerances)
}

function clearAttribute(attribute: Attribute): undefined {
  // RFC 7644 §3.5.2.2: a required attribute cannot be removed.
  if (attribute.required) throw refuse('attribute_required', { attribute: attribute.name })
  return undefined
}

/** A value as sent, and the tolerances of the provider. */
interface SentValue {
  readonly value: JsonValue
  readonly tolerances: ToleranceCounter
}

/** Applies a remove whose value lists the values to remove. */
function* applyRemoveWithValue(
  attribute: Attribute,
  current: JsonValue | undefined,
  { value, tolerances }: SentValue,
): Pieces<JsonValue | undefined> {
  if (!attribute.multiValued) {
    requireRemoveWithValue(attribute, tolerances)
    return clearAttribute(attribute)
  }
  const remaining = yield* removeListed(attribute, isArray(current) ? current : [], { value, tolerances })
  return remaining.length === 0 ? clearAttribute(attribute) : remaining
}

/** Replaces the given sub-attributes of a complex value, and keeps the others (RFC 7644 §3.5.2.3). */
function mergeComplexValue(
  attribute: Attribute,
  current: JsonValue | undefined,
  { value, tolerances }: SentValue,
): JsonValue | undefined {
  const unwrapped = unwrapValue(attribute, value, tolerances)
  if (unwrapped === undefined) return clearAttribute(attribute)
  const before = isObject(current) ? current : {}
  const after = buildComplexValue(attribute, [
    ...Object.entries(before),
    ...readParts(attribute, unwrapped, tolerances),
  ])
  return after === undefined ? undefined : keepImmutableParts(attribute, current, after)
}

interface ListChange {
  readonly op: 'add' | 'replace'
  readonly value: JsonValue
  readonly tolerances: ToleranceCounter
}

/** Adds values to a multi-valued attribute (RFC 7644 §3.5.2.1) or replaces all of them (§3.5.2.3). */
function* assignList(
  attribute: Attribute,
  current: readonly JsonValue[],
  { op, value, tolerances }: ListChange,
): Pieces<JsonValue | undefined> {
  // RFC 7644 §3.5.2.1: "a new value is added", with or without an array around it.
  const list = op === 'add' && !isArray(value) ? [value] : value
  const elements = yield* readElementsInPieces(attribute, list, tolerances)
  const next =
    op === 'add'
      ? yield* addToList(attribute, current, elements)
      : yield* replaceElementsInPieces(attribute, current, elements)
  return next.length === 0 ? undefined : next
}

function* addToList(
  attribute: Attribute,
  current: readonly JsonValue[],
  elements: readonly JsonValue[],
): Pieces<readonly JsonValue[]> {
  const next = yield* addElementsInPieces(attribute, current, elements)
  // RFC 7643 §2.4 sets no limit; this server does.
  if (next.length > attribute.maxValues) throw refuse('value_too_many', { attribute: attribute.name })
  const [primary] = primaryElements(elements)
  if (primary === undefined) return next
  const keyOf = elementKeys(attribute)
  const key = keyOf(primary)
  const newPrimary = next.find((element) => keyOf(element) === key)
  return newPrimary === undefined ? next : withSinglePrimary(next, newPrimary)
}

/**
 * Removes the listed values from an attribute. A value is removed if the list contains the same `value`, and the same
 * `type` where the list states a type. Listing an absent value is not an error.
 */
export function* removeListed(
  attribute: Attribute,
  current: readonly JsonValue[],
  sent: SentValue,
): Pieces<readonly JsonValue[]> {
  const listed = new Map<string, Set<string | undefined>>()
  yield* mapInPieces(yield* parseListedElements(attribute, sent), (element) => {
    const key = valueKey(attribute, element)
    listed.set(key, (listed.get(key) ?? new Set()).add(typeKey(attribute, element)))
  })
  const stays = yield* mapInPieces(current, (element) => {
    const types = listed.get(valueKey(attribute, element))
    return types === undefined || !(types.has(undefined) || types.has(typeKey(attribute, element)))
  })
  return current.filter((_, index) => stays[index])
}

/**
 * Parses the values that a remove lists in its `value`.
 * @throws ScimError invalidSyntax — reason `remove_with_value`; and the reasons of `readValue`.
 */
export function* parseListedElements(
  attribute: Attribute,
  { value, tolerances }: SentValue,
): Pieces<readonly JsonValue[]> {
  requireRemoveWithValue(attribute, tolerances)
  const items = unwrapNestedItems(attribute, value, tolerances)
  const listed = yield* readElementsInPieces(attribute, isArray(items) ? items : [items], tolerances)
  const isComplete = isArray(items) && items.length === 0 ? true : listed.length > 0
  // RFC 7643 §2.4: `value` says which value to remove. Without it, the remove would keep all values, with success.
  if (!isComplete || listed.some((element) => lacksValue(attribute, element)))
    throw refuse('value_required', { attribute: attribute.name })
  return listed
}

const lacksValue = ({ subAttributesByName }: Attribute, element: JsonValue): boolean =>
  subAttributesByName.has('value') && isObject(element) && getMember(element, 'value') === undefined

/**
 * Refuses a remove with a value unless the provider's profile tolerates it.
 * @throws ScimError invalidSyntax — reason `remove_with_value`.
 */
function requireRemoveWithValue(attribute: Attribute, tolerances: ToleranceCounter): void {
  // RFC 7644 §3.5.2.2: remove has no value. Ignoring the value would remove all members of a group instead of one.
  if (!tolerances.admits('remove-with-value')) throw refuse('remove_with_value', { attribute: attribute.name })
}

/**
 * Unwraps the values of a remove that repeats the attribute: `{"members":[{"value":"u1"}]}` instead of
 * `[{"value":"u1"}]`.
 */
function unwrapNestedItems(attribute: Attribute, value: JsonValue, tolerances: ToleranceCounter): JsonValue {
  if (!isObject(value)) return value
  const members = membersByName(value)
  const nested = members.size === 1 ? members.get(nameKey(attribute.name))?.value : undefined
  return nested !== undefined && tolerances.admits('remove-with-nested-value') ? nested : value
}

function valueKey(attribute: Attribute, element: JsonValue): string {
  const sub = attribute.subAttributesByName.get('value')
  const value = sub !== undefined && isObject(element) ? getMember(element, sub.name) : undefined
  return sub === undefined || value === undefined ? elementKeys(attribute)(element) : simpleKey(sub, value)
}

/**
 * Returns the key of the `type` of a value if it distinguishes values. It does not for group members: their type
 * follows from their id.
 */
function typeKey(attribute: Attribute, element: JsonValue): string | undefined {
  const sub = attribute.subAttributesByName.get('type')
  const type = sub?.mutability === 'readWrite' && isObject(element) ? getMember(element, sub.name) : undefined
  return sub === undefined || type === undefined ? undefined : simpleKey(sub, type)
}
