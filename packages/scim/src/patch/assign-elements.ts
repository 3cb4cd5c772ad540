import { mapInPieces, type Pieces } from '@mintmark/internal'
import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { refuse } from '../error/scim-error.ts'
import { selectInPieces } from '../filter/select-in-pieces.ts'
import { comparableValue } from '../resource/resource.ts'
import type { Attribute } from '../schema/schema.ts'
import type { ToleranceCounter } from '../tolerance/tolerances.ts'
import {
  addElements,
  elementKeys,
  keepImmutableParts,
  primaryElements,
  withSinglePrimary,
} from '../resource/element-list.ts'
import { getMember, isArray, isObject, membersByName, sameValue, withMember } from '../values/json.ts'
import { buildComplexValue, isUnassigned, readParts, unwrapValue } from '../resource/read-value.ts'
import { assignValue, removeListed } from './assign-value.ts'
import type { Assignment } from './parse-patch.ts'

/**
 * Applies an operation to the values of a complex multi-valued attribute that a filter selects, or to a sub-attribute
 * of these values (RFC 7644 §3.5.2). Without a filter, it applies to all values.
 */
export function* assignElements(
  elements: readonly JsonValue[],
  assignment: Assignment,
  tolerances: ToleranceCounter,
): Pieces<readonly JsonValue[]> {
  const { op, target } = assignment
  const selected = yield* selectElements(target, elements)
  const selects = (element: JsonValue): element is JsonObject => selected.has(element)
  if (op === 'remove') return yield* removeSelected(elements, selects, { ...assignment, tolerances })
  if (!elements.some(selects)) return createElement(elements, assignment, tolerances)

  const edited: JsonValue[] = []
  const next = yield* mapInPieces(elements, (element) => {
    if (!selects(element)) return element
    const result = editElement(element, assignment, tolerances)
    if (result !== undefined) edited.push(result)
    return result
  })
  return resolvePrimary(target.attribute, next.filter(isDefined), edited)
}

function* selectElements(
  { attribute, where }: Assignment['target'],
  elements: readonly JsonValue[],
): Pieces<ReadonlySet<JsonValue>> {
  if (where === undefined) return new Set(elements.filter(isObject))
  return yield* selectInPieces(elements, where.filter, (element) => {
    const comparable = comparableValue(attribute, element)
    return isObject(comparable) ? comparable : undefined
  })
}

interface Removal extends Assignment {
  readonly tolerances: ToleranceCounter
}

function* removeSelected(
  elements: readonly JsonValue[],
  selects: (element: JsonValue) => element is JsonObject,
  removal: Removal,
): Pieces<readonly JsonValue[]> {
  const { value, target, tolerances } = removal
  // RFC 7644 §3.5.2.2: a remove has no value; its path selects the values to remove.
  if (value !== undefined && value !== null && !tolerances.admits('remove-with-value'))
    throw refuse('remove_with_value')
  if (!isUnassigned(target.attribute, value, tolerances))
    yield* requireAgreement(elements, elements.filter(selects), removal)
  // RFC 7644 §3.5.2.2: matching values are removed; it is not an error when none match.
  if (target.subAttribute === undefined) return elements.filter((element) => !selects(element))
  const plain = { ...removal, value: undefined }
  const left = yield* mapInPieces(elements, (element) =>
    selects(element) ? editElement(element, plain, tolerances) : element,
  )
  return left.filter(isDefined)
}

/**
 * Requires that the path and the value of a remove select the same values: the selection of the path would otherwise
 * remove more than the value lists, or not remove what it lists. When the path selects one value, a value that names
 * none is no contradiction.
 */
function* requireAgreement(
  elements: readonly JsonValue[],
  selected: readonly JsonObject[],
  { target: { attribute, subAttribute }, value, tolerances }: Removal,
): Pieces<void> {
  const items = isArray(value) ? value : [value ?? null]
  const nameValue = items.some((item) => isObject(item) && membersByName(item).has('value'))
  if (selected.length <= 1 && (subAttribute !== undefined || !nameValue)) return
  const listed =
    subAttribute === undefined
      ? elements.filter(isNotIn(yield* removeListed(attribute, elements, { value: value ?? null, tolerances })))
      : selected.filter((element) => sameValue(getMember(element, subAttribute.name), value))
  // RFC 7644 §3.5.2.2: the path selects the values to remove.
  if (listed.length !== selected.length || selected.some(isNotIn(listed)))
    throw refuse('remove_with_value', { attribute: attribute.name })
}

function isNotIn(elements: readonly JsonValue[]): (element: JsonValue) => boolean {
  const found = new Set(elements)
  return (element) => !found.has(element)
}

/**
 * Creates the value that the filter describes. Entra expects phoneNumbers[type eq "mobile"].value to create the mobile
 * number when there is none.
 */
function createElement(
  elements: readonly JsonValue[],
  assignment: Assignment,
  tolerances: ToleranceCounter,
): readonly JsonValue[] {
  const { attribute, where, subAttribute } = assignment.target
  const seed = where === undefined ? {} : where.describedElement(tolerances)
  // RFC 7644 §3.5.2.3: a value filter without a match is noTarget.
  if (seed === undefined || !tolerances.admits('create-on-no-match'))
    throw refuse('path_no_match', { attribute: attribute.name })
  const element = editElement(seed, { ...assignment, op: 'add' }, tolerances)
  // Clearing a value that does not exist creates nothing.
  if (!isObject(element) || (subAttribute !== undefined && !Object.hasOwn(element, subAttribute.name))) return elements
  // RFC 7643 §2.4: a pair of value and type occurs once, so an existing value with the same pair is updated.
  const next = addElements(attribute, elements, [element])
  // RFC 7643 §2.4 sets no limit; this server does.
  if (next.length > attribute.maxValues) throw refuse('value_too_many', { attribute: attribute.name })
  const keyOf = elementKeys(attribute)
  const key = keyOf(element)
  return resolvePrimary(attribute, next, [next.find((candidate) => keyOf(candidate) === key)].filter(isDefined))
}

/** Applies the operation to one value. Returns undefined when no sub-attribute remains. */
function editElement(
  element: JsonObject,
  { op, target, value }: Assignment,
  tolerances: ToleranceCounter,
): JsonValue | undefined {
  const { attribute, subAttribute } = target
  if (subAttribute !== undefined) {
    const part = assignValue(subAttribute, getMember(element, subAttribute.name), { op, value, tolerances })
    return buildComplexValue(attribute, Object.entries(withMember(element, subAttribute.name, part)))
  }
  // RFC 7643 §2.5: null is no value, but RFC 7644 §3.5.2 requires one.
  if (value === undefined || (value === null && !tolerances.admits('null-means-absent'))) throw refuse('value_missing')
  const unwrapped = unwrapValue(attribute, value, tolerances)
  if (unwrapped === undefined) return undefined
  // RFC 7644 §3.5.2.3: "all matching record values SHALL be replaced"; an add keeps the other sub-attributes.
  const parts = readParts(attribute, unwrapped, tolerances)
  const before = op === 'add' ? Object.entries(element) : keptParts(target, parts, tolerances)
  const after = buildComplexValue(attribute, [...before, ...parts])
  return after === undefined ? undefined : keepImmutableParts(attribute, element, after)
}

/** Returns the sub-attributes that the filter of a replace states and that its value does not name. */
function keptParts(
  { where }: Assignment['target'],
  parts: ReadonlyMap<string, JsonValue | undefined>,
  tolerances: ToleranceCounter,
): readonly (readonly [string, JsonValue])[] {
  const isValue = [...parts.values()].some((part) => part !== undefined)
  const stated = Object.entries(where?.describedElement(tolerances) ?? {}).filter(([name]) => !parts.has(name))
  return isValue && stated.length > 0 && tolerances.admits('selection-kept') ? stated : []
}

function resolvePrimary(
  attribute: Attribute,
  elements: readonly JsonValue[],
  edited: readonly JsonValue[],
): readonly JsonValue[] {
  const [newPrimary, secondPrimary] = primaryElements(edited)
  // RFC 7643 §2.4: at most one value is primary.
  if (secondPrimary !== undefined) throw refuse('value_primary_twice', { attribute: attribute.name })
  return newPrimary === undefined ? elements : withSinglePrimary(elements, newPrimary)
}

const isDefined = (element: JsonValue | undefined): element is JsonValue => element !== undefined
