import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import type { ResourceType } from '../schema/resource-type.ts'
import type { Attribute } from '../schema/schema.ts'
import { getMember, isArray, isObject, toObject } from '../values/json.ts'
import { foldCase, parseInstant } from '../values/text.ts'

/**
 * The comparable form of a resource, which filters and sorting use in memory and in databases: text is case-folded (RFC 7643 §2.2
 * caseExact), and dates are milliseconds since 1970. It contains only attributes that a schema defines.
 */
export function comparableResource(resource: JsonObject, resourceType: ResourceType): JsonObject {
  const own = comparableMembers(resourceType.attributes, resource)
  const extensions = resourceType.extensions.flatMap(({ schema }) => {
    const extension = getMember(resource, schema.id)
    return isObject(extension) ? [[schema.id, toObject(comparableMembers(schema.attributes, extension))] as const] : []
  })
  return toObject([...own, ...extensions])
}

/** The comparable form of one value, such as an element that a value filter tests. */
export function comparableValue(attribute: Attribute, value: JsonValue): JsonValue | undefined {
  if (isArray(value)) return value.map((element) => comparableValue(attribute, element) ?? null)
  if (attribute.type === 'complex')
    return isObject(value) ? toObject(comparableMembers(attribute.subAttributes, value)) : undefined
  if (typeof value !== 'string') return value
  if (attribute.type === 'dateTime') return parseInstant(value)
  return attribute.caseExact ? value : foldCase(value)
}

function comparableMembers(
  attributes: readonly Attribute[],
  owner: JsonObject,
): readonly (readonly [string, JsonValue | undefined])[] {
  return attributes.map((attribute) => {
    const value = getMember(owner, attribute.name)
    return [attribute.name, value === undefined ? undefined : comparableValue(attribute, value)] as const
  })
}
