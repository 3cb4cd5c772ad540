import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { Attribute } from '../schema/schema.ts'
import { replaceElements } from '../values/element-list.ts'
import { isArray, isObject, getMember, toObject, sameValue } from '../values/json.ts'
import { completeResource } from './parse-resource.ts'

/** What a PUT makes of a resource. */
export interface ReplacedResource {
  readonly resource: JsonObject
  /** False when the resource is what it was; then it is the same object. */
  readonly changed: boolean
}

/**
 * The resource after a PUT (RFC 7644 §3.5.1): what is read-only stays, what was left out is cleared, what is immutable
 * cannot differ.
 * @param given what `parseResource` read.
 * @throws ScimError mutability — reason `attribute_immutable`.
 */
export function replaceResource(current: JsonObject, given: JsonObject, resourceType: ResourceType): ReplacedResource {
  const extensions = resourceType.extensions.map(({ schema }) => {
    const extension = replaceMembers(schema.attributes, objectAt(current, schema.id), objectAt(given, schema.id))
    return [schema.id, Object.keys(extension).length === 0 ? undefined : extension] as const
  })
  const replaced = toObject([...Object.entries(replaceMembers(resourceType.attributes, current, given)), ...extensions])
  const resource = completeResource(replaced, resourceType)
  return sameValue(current, resource) ? { resource: current, changed: false } : { resource, changed: true }
}

const replaceMembers = (attributes: readonly Attribute[], current: JsonObject, given: JsonObject): JsonObject =>
  toObject(
    attributes.map((attribute) => [
      attribute.name,
      replaceMember(attribute, getMember(current, attribute.name), getMember(given, attribute.name)),
    ]),
  )

function replaceMember(
  attribute: Attribute,
  current: JsonValue | undefined,
  given: JsonValue | undefined,
): JsonValue | undefined {
  if (attribute.mutability === 'readOnly') return current
  if (attribute.mutability === 'immutable' && current !== undefined) {
    // RFC 7644 §3.5.1: an immutable attribute that has a value matches it.
    if (given !== undefined && !sameValue(current, given))
      throw refusal('attribute_immutable', { attribute: attribute.name })
    return current
  }
  return isArray(current) && isArray(given) ? replaceElements(attribute, current, given) : given
}

function objectAt(owner: JsonObject, name: string): JsonObject {
  const value = getMember(owner, name)
  return isObject(value) ? value : {}
}
