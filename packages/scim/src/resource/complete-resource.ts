import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { isArray, isObject, memberOf, withMember } from '../json/json-object.ts'
import type { Attribute } from '../schema/attribute.ts'
import type { ResourceType } from '../schema/define-resource-type.ts'

/**
 * A resource whose `schemas` lists its own schema and every extension that it uses, once (RFC 7643 §3).
 * @throws ScimError invalidValue — reason `value_required` when something required has no value.
 */
export function completeResource(resource: JsonObject, resourceType: ResourceType): JsonObject {
  requireAll(resourceType.attributes, resource)
  for (const { schema, required } of resourceType.extensions) {
    const extension = memberOf(resource, schema.id)
    // RFC 7643 §6: a required extension is part of every resource.
    if (extension === undefined && required) throw refusal('value_required', { attribute: schema.id })
    if (isObject(extension)) requireAll(schema.attributes, extension)
  }
  return withSchemas(resource, resourceType)
}

function requireAll(attributes: readonly Attribute[], owner: JsonObject): void {
  const missing = attributes.find(
    ({ required, mutability, name }) => required && mutability !== 'readOnly' && isMissing(memberOf(owner, name)),
  )
  // RFC 7643 §2.2 required, §2.5: an empty text is no value either.
  if (missing !== undefined) throw refusal('value_required', { attribute: missing.name })
}

const isMissing = (value: JsonValue | undefined): boolean => value === undefined || value === ''

function withSchemas(resource: JsonObject, { schema, extensions }: ResourceType): JsonObject {
  const used = extensions.map((extension) => extension.schema.id).filter((id) => Object.hasOwn(resource, id))
  const schemas = [schema.id, ...used]
  const listed = memberOf(resource, 'schemas')
  const same = isArray(listed) && listed.length === schemas.length && schemas.every((id) => listed.includes(id))
  return same ? resource : withMember(resource, 'schemas', schemas)
}
