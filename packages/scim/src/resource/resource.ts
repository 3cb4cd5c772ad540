import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/scim-error.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { Attribute, Schema } from '../schema/schema.ts'
import { getMember, isArray, isObject, toObject, withMember } from '../values/json.ts'
import { foldCase, nameKey, parseInstant } from '../values/text.ts'

/**
 * Checks that required attributes have values, and sets `schemas` to the schema of the resource and the extensions that it uses
 * (RFC 7643 §3).
 * @throws ScimError invalidValue — reason `value_required`.
 */
export function completeResource(resource: JsonObject, resourceType: ResourceType): JsonObject {
  requireAll(resourceType.attributes, resource)
  for (const { schema, required } of resourceType.extensions) {
    const extension = getMember(resource, schema.id)
    // RFC 7643 §6: a required extension is part of every resource.
    if (extension === undefined && required) throw refusal('value_required', { attribute: schema.id })
    if (isObject(extension)) requireAll(schema.attributes, extension)
  }
  return withSchemas(resource, resourceType)
}

function requireAll(attributes: readonly Attribute[], owner: JsonObject): void {
  const missing = attributes.find(
    ({ required, mutability, name }) => required && mutability !== 'readOnly' && isMissing(getMember(owner, name)),
  )
  // RFC 7643 §2.2 required, §2.5: an empty string is no value either.
  if (missing !== undefined) throw refusal('value_required', { attribute: missing.name })
}

const isMissing = (value: JsonValue | undefined): boolean => value === undefined || value === ''

function withSchemas(resource: JsonObject, { schema, extensions }: ResourceType): JsonObject {
  const used = extensions.map((extension) => extension.schema.id).filter((id) => Object.hasOwn(resource, id))
  const schemas = [schema.id, ...used]
  const listed = getMember(resource, 'schemas')
  const same = isArray(listed) && listed.length === schemas.length && schemas.every((id) => listed.includes(id))
  return same ? resource : withMember(resource, 'schemas', schemas)
}

/**
 * Whether a member of an extension is a `schemas` that lists the extension itself. RFC 7643 §3 defines it for "the current JSON
 * structure", and the models of scim2-models write it into every extension.
 */
export const isOwnSchemas = (key: string, value: JsonValue, { id }: Schema): boolean =>
  key === 'schemas' && isArray(value) && value.every((urn) => typeof urn === 'string' && nameKey(urn) === nameKey(id))

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
