import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { isArray, isObject, memberOf } from '../json/json-object.ts'
import type { Projection, ShownAttribute } from '../schema/shown-attributes.ts'

/**
 * The part of a resource that an answer shows (RFC 7644 §3.9), in the order of its schemas. Only what a schema defines
 * leaves: whatever else storage holds stays.
 */
export function projectResource(resource: JsonObject, { attributes, extensions }: Projection): JsonObject {
  const shown = membersShown(attributes, resource) ?? {}
  for (const { urn, attributes: ofExtension } of extensions) {
    const extension = memberOf(resource, urn)
    const members = isObject(extension) ? membersShown(ofExtension, extension) : undefined
    if (members !== undefined) shown[urn] = members
  }
  return shown
}

/** Whether an answer shows anything of an attribute of the type's own: what it does not show need not be read. */
export const isShown = (name: string, { attributes }: Projection): boolean =>
  attributes.some((attribute) => attribute.name === name)

/**
 * The attributes of an owner that are shown; undefined when there are none. In an ordinary object, which becomes text three times
 * as fast as one without a prototype: its names are those of a schema, and no schema has `__proto__`.
 */
function membersShown(attributes: readonly ShownAttribute[], owner: JsonObject): Record<string, JsonValue> | undefined {
  let members: Record<string, JsonValue> | undefined
  for (const { name, parts } of attributes) {
    const value = memberOf(owner, name)
    if (value === undefined || value === null) continue
    const picked = parts === undefined ? value : partsShown(parts, value)
    if (picked === undefined) continue
    members ??= {}
    members[name] = picked
  }
  return members
}

function partsShown(parts: readonly ShownAttribute[], value: JsonValue): JsonValue | undefined {
  if (!isArray(value)) return isObject(value) ? membersShown(parts, value) : undefined
  const elements: JsonValue[] = []
  for (const element of value) {
    const members = isObject(element) ? membersShown(parts, element) : undefined
    if (members !== undefined) elements.push(members)
  }
  return elements.length === 0 ? undefined : elements
}
