import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { isArray, isObject, memberOf } from '../json/json-object.ts'
import type { Attribute } from '../schema/attribute.ts'
import type { ResourceType } from '../schema/define-resource-type.ts'
import type { Projection } from './parse-projection.ts'

/**
 * The part of a resource that an answer shows (RFC 7644 §3.9), in the order of its schemas. Only what a schema defines
 * leaves: whatever else storage holds stays. `returned` decides (RFC 7643 §7): `always` cannot be left out, `never` cannot
 * be asked for, `request` has to be.
 */
export function projectResource(resource: JsonObject, resourceType: ResourceType, projection: Projection): JsonObject {
  const shown = membersShown(resourceType.attributes, resource, projection) ?? {}
  for (const { schema } of resourceType.extensions) {
    const extension = memberOf(resource, schema.id)
    const members = isObject(extension) ? membersShown(schema.attributes, extension, projection) : undefined
    if (members !== undefined) shown[schema.id] = members
  }
  return shown
}

/** Whether an answer shows anything of an attribute: what it does not show need not be read. */
export const isShown = (attribute: Attribute, projection: Projection): boolean => shown(attribute, projection) !== undefined

/**
 * The attributes of an owner that are shown; undefined when there are none. In an ordinary object, which becomes text three times
 * as fast as one without a prototype: its names are those of a schema, and no schema has `__proto__`.
 */
function membersShown(attributes: readonly Attribute[], owner: JsonObject, projection: Projection): Record<string, JsonValue> | undefined {
  let members: Record<string, JsonValue> | undefined
  for (const attribute of attributes) {
    const value = memberOf(owner, attribute.name)
    const picked = value === undefined || value === null ? undefined : valueShown(attribute, value, projection)
    if (picked === undefined) continue
    members ??= {}
    members[attribute.name] = picked
  }
  return members
}

function valueShown(attribute: Attribute, value: JsonValue, projection: Projection): JsonValue | undefined {
  const inside = shown(attribute, projection)
  if (inside === undefined) return undefined
  if (attribute.type !== 'complex') return value
  if (!isArray(value)) return isObject(value) ? membersShown(attribute.subAttributes, value, inside) : undefined
  const elements = value
    .map((element) => (isObject(element) ? membersShown(attribute.subAttributes, element, inside) : undefined))
    .filter((element) => element !== undefined)
  return elements.length === 0 ? undefined : elements
}

/** How the parts of an attribute are chosen, or undefined when the attribute is not shown (RFC 7643 §7 returned). */
function shown(attribute: Attribute, projection: Projection): Projection | undefined {
  const { kind, named, partly } = projection
  if (attribute.returned === 'never') return undefined
  if (kind === 'only') {
    if (named.has(attribute)) return whole
    if (partly.has(attribute)) return projection
    return attribute.returned === 'always' ? whole : undefined
  }
  if (attribute.returned === 'request') return undefined
  return attribute.returned === 'default' && named.has(attribute) ? undefined : projection
}

/** What is shown below an attribute that was asked for: its defaults. */
const whole: Projection = { kind: 'default', named: new Set(), partly: new Set() }
