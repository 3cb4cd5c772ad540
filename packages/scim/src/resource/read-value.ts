import { type Pieces, runAtOnce } from '@mintmark/internal'
import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { refuse } from '../error/scim-error.ts'
import { ignoreUnknownPart } from '../schema/find-attribute.ts'
import type { Attribute } from '../schema/schema.ts'
import type { ToleranceCounter } from '../tolerance/tolerances.ts'
import { addElementsInPieces, primaryElements, withSinglePrimary } from './element-list.ts'
import { isArray, isObject, type Member, membersByName, toObject } from '../values/json.ts'
import { cleanName } from '@mintmark/internal'
import { isAllowedText, parseBoolean, parseInstant } from '../values/text.ts'

/**
 * Parses the value of an attribute. Names are spelled as in the schema; read-only sub-attributes and nulls are dropped.
 * @returns undefined for null, an empty array and an empty complex value, which all mean that there is no value (RFC 7643 §2.5).
 * @throws ScimError invalidValue — reasons `value_type`, `value_too_long`, `value_characters`, `value_too_many`,
 * `value_primary_twice`, `value_required`; invalidSyntax — reasons `attribute_unknown`, `member_repeated`.
 */
export function readValue(attribute: Attribute, json: JsonValue, tolerances: ToleranceCounter): JsonValue | undefined {
  if (!attribute.multiValued) return readOne(attribute, json, tolerances)
  const elements = readElements(attribute, json, tolerances)
  return elements.length === 0 ? undefined : elements
}

/**
 * Returns whether a JSON value of an attribute means that there is no value: null, an empty list of a multi-valued
 * attribute (RFC 7643 §2.5), and an empty string where the profile reads it so. This is the only definition.
 */
export const isUnassigned = (
  { multiValued }: Pick<Attribute, 'multiValued'>,
  json: JsonValue | undefined,
  tolerances: ToleranceCounter,
): boolean =>
  json === undefined ||
  json === null ||
  (multiValued && isArray(json) && json.length === 0) ||
  (json === '' && tolerances.admits('empty-text-means-absent'))

/** Parses the values of a multi-valued attribute, without duplicates. */
const readElements = (attribute: Attribute, json: JsonValue, tolerances: ToleranceCounter): readonly JsonValue[] =>
  runAtOnce(readElementsInPieces(attribute, json, tolerances))

/** Like `readElements`, but in pieces, because a group may have a hundred thousand members. */
export function* readElementsInPieces(
  attribute: Attribute,
  json: JsonValue,
  tolerances: ToleranceCounter,
): Pieces<readonly JsonValue[]> {
  if (isUnassigned(attribute, json, tolerances)) {
    // RFC 7643 §4.2: only null and an empty list mean that there is no member, because an empty string may be a lost id.
    if (json === '' && needsValue(attribute)) throw refuse('value_required', { attribute: attribute.name })
    return []
  }
  const items = isArray(json) ? json : listOf(attribute, json, tolerances)
  // RFC 7643 §2.4 sets no limit; this server does, and checks it before it parses any value.
  if (items.length > attribute.maxValues) throw refuse('value_too_many', { attribute: attribute.name })

  const elements: JsonValue[] = []
  for (const [index, item] of items.entries()) {
    const element = readElement(attribute, item, tolerances)
    if (element !== undefined) elements.push(element)
    if (index % elementsInPiece === elementsInPiece - 1) yield
  }
  return yield* addElementsInPieces(attribute, [], requireOnePrimary(attribute, elements, tolerances))
}

const elementsInPiece = 100

function requireOnePrimary(
  attribute: Attribute,
  elements: readonly JsonValue[],
  tolerances: ToleranceCounter,
): readonly JsonValue[] {
  const [first, second] = primaryElements(elements)
  if (first === undefined || second === undefined) return elements
  // RFC 7643 §2.4: at most one value is primary.
  if (!tolerances.admits('primary-twice')) throw refuse('value_primary_twice', { attribute: attribute.name })
  return withSinglePrimary(elements, first)
}

/**
 * Parses one value of a multi-valued attribute. Returns undefined for a value that says that it is none: null, or a
 * complex value whose `value` is null or empty, as Okta sends for a telephone number that is not set.
 * @throws ScimError invalidValue — reason `value_required`, for a value of which nothing is understood: without it, a
 * replace would remove every value instead (RFC 7644 §3.5.2.3).
 */
function readElement(attribute: Attribute, json: JsonValue, tolerances: ToleranceCounter): JsonValue | undefined {
  const value = unwrapValue(attribute, json, tolerances)
  const element = value === undefined ? undefined : readAssignedElement(attribute, value, tolerances)
  // RFC 7643 §4.2: a member is named by its value.
  if (element === undefined && needsValue(attribute))
    throw refuse('value_required', { attribute: `${attribute.name}.value` })
  return element
}

function readAssignedElement(
  attribute: Attribute,
  json: JsonValue,
  tolerances: ToleranceCounter,
): JsonValue | undefined {
  if (attribute.type !== 'complex') return readSimple(attribute, json, tolerances)
  const parts = readParts(attribute, json, tolerances)
  return statesNoValue(attribute, parts) ? undefined : buildComplexValue(attribute, parts)
}

/** Returns whether the values of a list are identified by their `value`, which never changes, such as members. */
export const needsValue = ({ subAttributesByName }: Attribute): boolean =>
  subAttributesByName.get('value')?.mutability === 'immutable'

/**
 * Returns whether a complex value says that it has no value: its `value` is null or empty; or, without a `value`, all
 * of its content is, so that only labels remain: {"type":"work","locality":null}.
 */
function statesNoValue(attribute: Attribute, parts: ReadonlyMap<string, JsonValue | undefined>): boolean {
  if (parts.has('value')) return parts.get('value') === undefined
  if (attribute.subAttributesByName.has('value')) return false
  const content = [...parts].filter(([name]) => !labels.has(name))
  return content.length > 0 && content.every(([, value]) => value === undefined)
}

/** The sub-attributes that describe a value, and are none themselves (RFC 7643 §2.4). */
const labels: ReadonlySet<string> = new Set(['type', 'primary', 'display'])

/**
 * Parses the sub-attributes of a complex value. A sub-attribute that was sent as null or empty is undefined, which
 * clears it. Read-only sub-attributes are ignored (RFC 7644 §3.3).
 * @throws ScimError invalidValue — reason `value_required`, when the value has content, but none that is understood.
 */
export function readParts(
  attribute: Attribute,
  json: JsonValue,
  tolerances: ToleranceCounter,
): ReadonlyMap<string, JsonValue | undefined> {
  // RFC 7643 §2.3.8: a complex value is an object.
  if (!isObject(json)) throw refuse('value_type', { attribute: attribute.name })
  const members = membersByName(json)
  const parts = readKnownParts(attribute, members, tolerances)
  // RFC 7643 §2.4, §4.2: `value` holds the value. A value with other names only would become none, with success.
  if (!isUnderstood(attribute, members, parts)) throw refuse('value_required', { attribute: attribute.name })
  return parts
}

/**
 * Returns whether a complex value can be read as what it says. A value of a list needs a known sub-attribute with a
 * value, or says that it has none. A single value may be empty, which changes nothing, or have a known name.
 */
function isUnderstood(
  { multiValued, subAttributesByName }: Attribute,
  members: ReadonlyMap<string, Member>,
  parts: ReadonlyMap<string, JsonValue | undefined>,
): boolean {
  if (!multiValued)
    return (
      members.size === 0 ||
      !subAttributesByName.has('value') ||
      [...members.keys()].some((key) => subAttributesByName.has(key))
    )
  const isEmptied = members.size > 0 && [...members.values()].every(({ value }) => value === null || value === '')
  return isEmptied || [...parts.values()].some((part) => part !== undefined)
}

function readKnownParts(
  attribute: Attribute,
  members: ReadonlyMap<string, Member>,
  tolerances: ToleranceCounter,
): ReadonlyMap<string, JsonValue | undefined> {
  const parts = new Map<string, JsonValue | undefined>()
  for (const [key, { value }] of members) {
    const sub = attribute.subAttributesByName.get(key)
    if (sub !== undefined) {
      // RFC 7643 §2.4: `value` holds the value, so an empty one is none, in every profile.
      const assigned = sub.name === 'value' && value === '' ? null : value
      if (isWritable(sub)) parts.set(sub.name, readValue(sub, assigned, tolerances))
      continue
    }
    // RFC 7643 §2.4: these sub-attributes exist by default. Okta sends the `display` of members.
    if (attribute.multiValued && defaultParts.has(key)) continue
    ignoreUnknownPart(tolerances, attribute.name)
  }
  return parts
}

/**
 * Returns whether a written value of an attribute is kept. The value of an attribute that is read-only or computed is
 * not.
 */
export const isWritable = ({ mutability, isComputed }: Attribute): boolean => mutability !== 'readOnly' && !isComputed

const defaultParts: ReadonlySet<string> = new Set(['value', 'display', 'type', 'primary', '$ref'])

/** Builds a complex value from its sub-attributes; undefined when none has a value. */
export function buildComplexValue(
  attribute: Attribute,
  parts: Iterable<readonly [string, JsonValue | undefined]>,
): JsonObject | undefined {
  const value = toObject(parts)
  if (Object.keys(value).length === 0) return undefined
  const missing = attribute.subAttributes.find(
    (sub) => sub.required && sub.mutability !== 'readOnly' && !Object.hasOwn(value, sub.name),
  )
  // RFC 7643 §2.2: required.
  if (missing !== undefined) throw refuse('value_required', { attribute: `${attribute.name}.${missing.name}` })
  return value
}

function readOne(attribute: Attribute, json: JsonValue, tolerances: ToleranceCounter): JsonValue | undefined {
  const value = unwrapValue(attribute, json, tolerances)
  if (value === undefined) return undefined
  if (attribute.type !== 'complex') return readSimple(attribute, value, tolerances)
  return buildComplexValue(attribute, readParts(attribute, value, tolerances))
}

function listOf(attribute: Attribute, json: JsonValue, tolerances: ToleranceCounter): readonly JsonValue[] {
  // RFC 7643 §2.4: the values of a multi-valued attribute are a JSON array, even a single one.
  if (!tolerances.admits('value-without-list')) throw refuse('value_type', { attribute: attribute.name })
  return [json]
}

/**
 * Validates a value of a simple type (RFC 7643 §2.3). Returns it as sent, or converted where a tolerance allows another
 * type.
 * @throws ScimError invalidValue — reasons `value_type`, `value_too_long`, `value_characters`.
 */
export function readSimple(attribute: Attribute, json: JsonValue, tolerances: ToleranceCounter): JsonValue {
  switch (attribute.type) {
    case 'boolean':
      return readBoolean(attribute, json, tolerances)
    case 'integer':
    case 'decimal':
      return readNumber(attribute, json, tolerances)
    case 'string':
    case 'reference':
      return readLine(attribute, textOf(attribute, json, tolerances), tolerances)
    case 'binary':
      // RFC 7643 §2.3.6.
      if (!base64.test(readText(attribute, json))) throw wrongType(attribute)
      return json
    case 'dateTime':
      // RFC 7643 §2.3.5.
      if (parseInstant(readText(attribute, json)) === undefined) throw wrongType(attribute)
      return json
    case 'complex':
      // RFC 7643 §2.3.8.
      throw wrongType(attribute)
    default:
      return attribute.type satisfies never
  }
}

function readBoolean(attribute: Attribute, json: JsonValue, tolerances: ToleranceCounter): boolean {
  if (typeof json === 'boolean') return json
  const text = typeof json === 'string' ? parseBoolean(json) : undefined
  // RFC 7643 §2.3.2: true and false. Entra writes "True" when it disables a user.
  if (text === undefined || !tolerances.admits('boolean-as-text')) throw wrongType(attribute)
  return text
}

function readNumber(attribute: Attribute, json: JsonValue, tolerances: ToleranceCounter): number {
  const number = typeof json === 'string' && jsonNumber.test(json) ? Number(json) : json
  // RFC 7643 §2.3.3 and §2.3.4.
  const isValid = attribute.type === 'integer' ? Number.isSafeInteger(number) : Number.isFinite(number)
  if (typeof number !== 'number' || !isValid) throw wrongType(attribute)
  // RFC 7643 §2.3.4: a JSON number.
  if (number !== json && !tolerances.admits('number-as-text')) throw wrongType(attribute)
  return number
}

/** RFC 8259 §6, with at most 32 digits. */
const jsonNumber = /^-?(?:0|[1-9]\d{0,15})(?:\.\d{1,16})?$/

/**
 * Converts an integer to a string where this is tolerated. Beyond the safe range, an integer may have lost digits. As
 * `value`, it may be a telephone number that has lost its leading zero or plus sign; an e-mail address is never a
 * number.
 */
function textOf({ name }: Attribute, json: JsonValue, tolerances: ToleranceCounter): JsonValue {
  const isInteger = typeof json === 'number' && Number.isSafeInteger(json)
  return isInteger && name !== 'value' && tolerances.admits('text-as-number') ? String(json) : json
}

/** Reads a string, after it was cleaned where the attribute is a name and the profile tolerates it. */
function readLine(attribute: Attribute, json: JsonValue, tolerances: ToleranceCounter): string {
  const isUnclean =
    attribute.characters === 'name' && typeof json === 'string' && !isAllowedText(json, attribute.characters)
  if (!isUnclean) return readText(attribute, json)
  const cleaned = cleanName(json)
  // RFC 8264 §9.13: invisible characters make two names look the same.
  return readText(attribute, cleaned !== '' && tolerances.admits('control-characters') ? cleaned : json)
}

function readText(attribute: Attribute, json: JsonValue): string {
  if (typeof json !== 'string') throw wrongType(attribute)
  // RFC 7643 §2.3.1 sets no limit; this server does.
  if (json.length > attribute.maxLength) throw refuse('value_too_long', { attribute: attribute.name })
  // RFC 8265 §3.3 and RFC 8264 §9 for identifiers; elsewhere, characters that would break a header or a log line.
  if (!isAllowedText(json, attribute.characters)) throw refuse('value_characters', { attribute: attribute.name })
  return json
}

/** Creates the error for a value that does not have the type of its attribute (RFC 7643 §2.3). */
const wrongType = (attribute: Attribute): Error => refuse('value_type', { attribute: attribute.name })

/** RFC 4648 §4 and §5, with or without padding (RFC 7643 §2.3.6). */
const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/

/**
 * Unwraps a value from the list or object that some identity providers put around it. A value that still has the wrong type is
 * refused by the parser of its type.
 * @returns undefined for null, which means absent (RFC 7643 §2.5).
 */
export function unwrapValue(
  attribute: Attribute,
  json: JsonValue,
  tolerances: ToleranceCounter,
): JsonValue | undefined {
  if (isUnassigned({ multiValued: false }, json, tolerances)) return undefined
  if (isArray(json)) {
    const [only] = json
    const isWrapped =
      json.length === 1 && only !== undefined && !isArray(only) && tolerances.admits('list-around-value')
    return isWrapped ? unwrapValue(attribute, only, tolerances) : json
  }
  if (attribute.type === 'complex') return unwrapComplex(attribute, json, tolerances)
  return isObject(json) ? unwrapPrimitive(json, tolerances) : json
}

/** Accepts `"u9"` for `{"value":"u9"}`, as Entra sends the manager. */
function unwrapComplex(attribute: Attribute, json: JsonValue, tolerances: ToleranceCounter): JsonValue {
  if (typeof json !== 'string' || !attribute.subAttributesByName.has('value')) return json
  return tolerances.admits('text-for-complex') ? { value: json } : json
}

/** Accepts `{"value":"1"}` for `"1"`. */
function unwrapPrimitive(json: Extract<JsonValue, object>, tolerances: ToleranceCounter): JsonValue {
  if (!isObject(json)) return json
  const members = membersByName(json)
  const value = members.get('value')?.value
  const isWrapped = members.size === 1 && value !== undefined && typeof value !== 'object'
  return isWrapped && tolerances.admits('value-around-primitive') ? value : json
}
