import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/scim-error.ts'
import { findSchema } from '../schema/find-attribute.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { Attribute, Schema } from '../schema/schema.ts'
import type { AppliedTolerance, ParseContext } from '../tolerance/tolerances.ts'
import { membersByName, parseJsonObject } from '../values/json-body.ts'
import { getMember, isArray, isObject, toObject, withMember } from '../values/json.ts'
import { readValue } from '../values/read-value.ts'

/** A parsed resource and the tolerances that it needed. */
interface ParsedResource {
  /** Attribute names are spelled as in the schema. Without read-only attributes and nulls, but with a given password. */
  readonly resource: JsonObject
  readonly applied: readonly AppliedTolerance[]
}

/**
 * Parses the body of a POST or PUT by the schemas of its resource type (RFC 7644 §3.3, §3.5.1). Read-only attributes are ignored,
 * whatever their value.
 * @throws ScimError invalidSyntax — reasons `body_malformed`, `body_too_deep`, `member_repeated`, `schemas_missing`,
 * `schema_unknown`, `attribute_unknown`; invalidValue — the reasons of `readValue`, and `value_required`; 413 `body_too_large`.
 */
export function parseResource(body: unknown, context: ParseContext): ParsedResource {
  const members = membersByName(parseJsonObject(body))
  checkSchemas(members.get('schemas')?.value, context)

  const found = new Map<string, JsonValue | undefined>()
  for (const [key, { name, value }] of members) {
    const attribute = context.resourceType.attributesByName.get(key)
    const schema = attribute === undefined ? findSchema(name, context) : undefined
    if (attribute !== undefined) found.set(attribute.name, readWritable(attribute, value, context))
    else if (schema !== undefined && schema !== context.resourceType.schema)
      found.set(schema.id, readExtension(schema, value, context))
    // RFC 7644 §3.12 invalidSyntax: no schema of this type defines it.
    else if (!context.tolerances.admits('unknown-attributes')) throw refusal('attribute_unknown')
  }
  const resource = completeResource(toObject(found), context.resourceType)
  return { resource, applied: context.tolerances.applied() }
}

/**
 * RFC 7643 §3: `schemas` lists the schemas of the body. The resource type follows from the endpoint, so they are only checked.
 */
function checkSchemas(schemas: JsonValue | undefined, context: ParseContext): void {
  if (schemas === undefined || schemas === null) {
    // RFC 7643 §3: required.
    if (!context.tolerances.admits('schemas-missing')) throw refusal('schemas_missing')
    return
  }
  // RFC 7643 §3: an array of URNs, not empty.
  if (!isArray(schemas) || schemas.length === 0 || schemas.length > 100) throw refusal('schemas_missing')
  const found = schemas.map((urn) => (typeof urn === 'string' ? findSchema(urn, context) : undefined))
  // RFC 7643 §3: URNs that the resource type declares. Entra adds one of Microsoft's.
  if (found.includes(undefined) && !context.tolerances.admits('unknown-schemas')) throw refusal('schema_unknown')
  // RFC 7643 §3: the type's own schema is always listed.
  if (!found.includes(context.resourceType.schema) && !context.tolerances.admits('schemas-missing'))
    throw refusal('schemas_missing')
}

function readWritable(attribute: Attribute, value: JsonValue, { tolerances }: ParseContext): JsonValue | undefined {
  return attribute.mutability === 'readOnly' ? undefined : readValue(attribute, value, tolerances)
}

function readExtension(schema: Schema, value: JsonValue, context: ParseContext): JsonObject | undefined {
  if (value === null) return undefined
  // RFC 7643 §3.3: the attributes of an extension are the members of an object.
  if (!isObject(value)) throw refusal('value_type', { attribute: schema.id })
  const found = new Map<string, JsonValue | undefined>()
  for (const [key, member] of membersByName(value)) {
    const attribute = schema.attributesByName.get(key)
    // RFC 7644 §3.12 invalidSyntax: the extension does not define it.
    if (attribute === undefined && !context.tolerances.admits('unknown-attributes'))
      throw refusal('attribute_unknown', { attribute: schema.id })
    if (attribute !== undefined) found.set(attribute.name, readWritable(attribute, member.value, context))
  }
  const extension = toObject(found)
  return Object.keys(extension).length === 0 ? undefined : extension
}

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
