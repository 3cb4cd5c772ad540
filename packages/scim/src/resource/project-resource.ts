import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { isArray, isObject, memberOf, objectOf } from '../json/json-object.ts'
import type { Attribute } from '../schema/attribute.ts'
import type { ResourceType } from '../schema/define-resource-type.ts'
import type { Projection } from './parse-projection.ts'

/**
 * The part of a resource that an answer shows (RFC 7644 §3.9), in the order of its schemas. Only what a schema defines
 * leaves: whatever else storage holds stays. `returned` decides (RFC 7643 §7): `always` cannot be left out, `never` cannot
 * be asked for, `request` has to be.
 */
export function projectResource(resource: JsonObject, resourceType: ResourceType, projection: Projection): JsonObject {
  const own = resourceType.attributes.map(
    (attribute) => [attribute.name, projectValue(attribute, memberOf(resource, attribute.name), projection)] as const,
  )
  const extensions = resourceType.extensions.map(
    ({ schema }) => [schema.id, projectMembers(schema.attributes, memberOf(resource, schema.id), projection)] as const,
  )
  return objectOf([...own, ...extensions])
}

/** Whether an answer shows anything of an attribute: what it does not show need not be read. */
export const isShown = (attribute: Attribute, projection: Projection): boolean => shown(attribute, projection) !== undefined

function projectMembers(attributes: readonly Attribute[], owner: JsonValue | undefined, projection: Projection): JsonObject | undefined {
  if (!isObject(owner)) return undefined
  const members = objectOf(
    attributes.map((attribute) => [attribute.name, projectValue(attribute, memberOf(owner, attribute.name), projection)] as const),
  )
  return Object.keys(members).length === 0 ? undefined : members
}

function projectValue(attribute: Attribute, value: JsonValue | undefined, projection: Projection): JsonValue | undefined {
  if (value === undefined || value === null) return undefined
  const inside = shown(attribute, projection)
  if (inside === undefined) return undefined
  if (attribute.type !== 'complex') return value
  if (!isArray(value)) return projectMembers(attribute.subAttributes, value, inside)
  const elements = value.map((element) => projectMembers(attribute.subAttributes, element, inside)).filter((element) => element !== undefined)
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
