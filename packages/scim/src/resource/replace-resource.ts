import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/scim-error.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { Attribute } from '../schema/schema.ts'
import { replaceElements } from '../values/element-list.ts'
import { getMember, isArray, isObject, sameValue, toObject } from '../values/json.ts'
import { completeResource } from './resource.ts'

/** The outcome of a PUT. */
interface ReplacedResource {
  readonly resource: JsonObject
  /** False when the resource is unchanged: then `resource` is the same object. */
  readonly changed: boolean
}

/**
 * Replaces a resource as PUT does (RFC 7644 §3.5.1): read-only attributes stay, omitted attributes are cleared,
 * immutable attributes must not differ.
 * @param replacement the result of `parseResource`.
 * @throws ScimError mutability — reason `attribute_immutable`.
 */
export function replaceResource(
  current: JsonObject,
  replacement: JsonObject,
  resourceType: ResourceType,
): ReplacedResource {
  const extensions = resourceType.extensions.map(({ schema }) => {
    const extension = replaceMembers(schema.attributes, objectAt(current, schema.id), objectAt(replacement, schema.id))
    return [schema.id, Object.keys(extension).length === 0 ? undefined : extension] as const
  })
  const replaced = toObject([
    ...Object.entries(replaceMembers(resourceType.attributes, current, replacement)),
    ...extensions,
  ])
  const resource = completeResource(replaced, resourceType)
  return sameValue(current, resource) ? { resource: current, changed: false } : { resource, changed: true }
}

const replaceMembers = (attributes: readonly Attribute[], current: JsonObject, replacement: JsonObject): JsonObject =>
  toObject(
    attributes.map((attribute) => [
      attribute.name,
      replaceMember(attribute, getMember(current, attribute.name), getMember(replacement, attribute.name)),
    ]),
  )

function replaceMember(
  attribute: Attribute,
  current: JsonValue | undefined,
  replacement: JsonValue | undefined,
): JsonValue | undefined {
  if (attribute.mutability === 'readOnly') return current
  if (attribute.mutability === 'immutable' && current !== undefined) {
    // RFC 7644 §3.5.1: the given value of an immutable attribute must match the current one.
    if (replacement !== undefined && !sameValue(current, replacement))
      throw refusal('attribute_immutable', { attribute: attribute.name })
    return current
  }
  return isArray(current) && isArray(replacement) ? replaceElements(attribute, current, replacement) : replacement
}

function objectAt(owner: JsonObject, name: string): JsonObject {
  const value = getMember(owner, name)
  return isObject(value) ? value : {}
}
