import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { isArray, isObject, objectOf } from '../json/json-object.ts'
import { membersByName } from '../json/members-by-name.ts'
import type { Attribute } from '../schema/attribute.ts'
import type { ToleranceCounter } from '../tolerance/tolerance-counter.ts'
import { addElements } from './element-list.ts'
import { primaryElements } from './one-primary.ts'
import { readSimple } from './read-simple.ts'
import { unwrapValue } from './unwrap-value.ts'

/**
 * The value of an attribute as a resource keeps it: names as the schema spells them, without what is read-only, without
 * nulls.
 * @returns undefined for no value: null, an empty array and a complex value without parts are all the same (RFC 7643 §2.5).
 * @throws ScimError invalidValue — reasons `value_type`, `value_too_long`, `value_characters`, `value_too_many`,
 * `value_primary_twice`, `value_required`; invalidSyntax — reasons `attribute_unknown`, `member_repeated`.
 */
export function readValue(attribute: Attribute, json: JsonValue, tally: ToleranceCounter): JsonValue | undefined {
  if (!attribute.multiValued) return readOne(attribute, json, tally)
  const elements = readElements(attribute, json, tally)
  return elements.length === 0 ? undefined : elements
}

/** The values of a multi-valued attribute, none twice. */
export function readElements(attribute: Attribute, json: JsonValue, tally: ToleranceCounter): readonly JsonValue[] {
  if (json === null || (json === '' && tally.admits('empty-text-means-absent'))) return []
  const items = isArray(json) ? json : listOf(attribute, json, tally)
  // RFC 7643 §2.4 sets no bound; this server does, before it looks at any of them.
  if (items.length > attribute.maxValues) throw refusal('value_too_many', { attribute: attribute.name })

  const elements = items.map((item) => readOne(attribute, item, tally)).filter((element) => element !== undefined)
  // RFC 7643 §2.4: the primary value is true for no more than one.
  if (primaryElements(elements).length > 1) throw refusal('value_primary_twice', { attribute: attribute.name })
  return addElements(attribute, [], elements)
}

/**
 * The parts of a complex value; undefined stands for a part that was given as null or empty, to be cleared.
 * A read-only part is ignored, as in every body (RFC 7644 §3.3).
 */
export function readParts(
  attribute: Attribute,
  json: JsonValue,
  tally: ToleranceCounter,
): ReadonlyMap<string, JsonValue | undefined> {
  // RFC 7643 §2.3.8: a complex value is an object.
  if (!isObject(json)) throw refusal('value_type', { attribute: attribute.name })
  const parts = new Map<string, JsonValue | undefined>()
  for (const [key, { value }] of membersByName(json)) {
    const sub = attribute.subAttributesByName.get(key)
    // RFC 7644 §3.12 invalidSyntax: no schema defines it.
    if (sub === undefined && !tally.admits('unknown-attributes'))
      throw refusal('attribute_unknown', { attribute: attribute.name })
    if (sub !== undefined && sub.mutability !== 'readOnly') parts.set(sub.name, readValue(sub, value, tally))
  }
  return parts
}

/** A complex value from its parts; undefined when none has a value. */
export function complexOf(
  attribute: Attribute,
  parts: Iterable<readonly [string, JsonValue | undefined]>,
): JsonObject | undefined {
  const value = objectOf(parts)
  if (Object.keys(value).length === 0) return undefined
  const missing = attribute.subAttributes.find(
    (sub) => sub.required && sub.mutability !== 'readOnly' && !Object.hasOwn(value, sub.name),
  )
  // RFC 7643 §2.2: required.
  if (missing !== undefined) throw refusal('value_required', { attribute: `${attribute.name}.${missing.name}` })
  return value
}

function readOne(attribute: Attribute, json: JsonValue, tally: ToleranceCounter): JsonValue | undefined {
  const value = unwrapValue(attribute, json, tally)
  if (value === undefined) return undefined
  return attribute.type === 'complex'
    ? complexOf(attribute, readParts(attribute, value, tally))
    : readSimple(attribute, value, tally)
}

function listOf(attribute: Attribute, json: JsonValue, tally: ToleranceCounter): readonly JsonValue[] {
  // RFC 7643 §2.4: several values are a JSON array, also when there is one.
  if (!tally.admits('value-without-list')) throw refusal('value_type', { attribute: attribute.name })
  return [json]
}
