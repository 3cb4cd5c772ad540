import { isArray, isObject, memberOf } from '../json-member.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { FilterAttribute } from './resolved-filter.ts'

/** The values of an attribute, as comparisons look at them: none, one, or several. RFC 7643 §2.5: null is no value. */
export function valuesOf(resource: JsonObject, { extension, name, subName }: FilterAttribute): readonly JsonValue[] {
  const owner = extension === undefined ? resource : memberOf(resource, extension)
  const attribute = memberOf(owner, name)
  const value = subName === undefined ? attribute : memberOf(attribute, subName)
  if (value === undefined || value === null) return []
  return isArray(value) ? value : [value]
}

/** The complex values of an attribute. */
export const elementsOf = (resource: JsonObject, attribute: FilterAttribute): readonly JsonObject[] =>
  valuesOf(resource, attribute).filter(isObject)
