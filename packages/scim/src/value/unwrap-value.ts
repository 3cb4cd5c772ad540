import type { JsonValue } from '@mintmark/storage-interface'

import { isArray, isObject } from '../json/json-object.ts'
import { membersByName } from '../json/members-by-name.ts'
import type { Attribute } from '../schema/attribute.ts'
import type { ToleranceCounter } from '../tolerance/tolerance-counter.ts'

/**
 * One value without what some identity providers wrap around it. Whatever is still of the wrong type is refused by the
 * reader of its type.
 * @returns undefined when there is no value: null is the same as absent (RFC 7643 §2.5).
 */
export function unwrapValue(attribute: Attribute, json: JsonValue, tally: ToleranceCounter): JsonValue | undefined {
  if (json === null) return undefined
  if (json === '') return tally.admits('empty-text-means-absent') ? undefined : json
  if (isArray(json)) {
    const [only] = json
    const wrapped = json.length === 1 && only !== undefined && tally.admits('list-around-value')
    return wrapped ? unwrapValue(attribute, only, tally) : json
  }
  if (attribute.type === 'complex') return unwrapComplex(attribute, json, tally)
  return isObject(json) ? unwrapPrimitive(json, tally) : json
}

/** The manager as "u9" for {"value":"u9"}. */
function unwrapComplex(attribute: Attribute, json: JsonValue, tally: ToleranceCounter): JsonValue {
  if (typeof json !== 'string' || !attribute.subAttributesByName.has('value')) return json
  return tally.admits('text-for-complex') ? { value: json } : json
}

/** {"value":"1"} where "1" is declared. */
function unwrapPrimitive(json: Extract<JsonValue, object>, tally: ToleranceCounter): JsonValue {
  if (!isObject(json)) return json
  const members = membersByName(json)
  const value = members.get('value')?.value
  const wrapped = members.size === 1 && value !== undefined && typeof value !== 'object'
  return wrapped && tally.admits('value-around-primitive') ? value : json
}
