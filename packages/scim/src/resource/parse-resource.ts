import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { boundedObject } from '../json/bounded-json.ts'
import { isArray, isObject, objectOf } from '../json/json-object.ts'
import { membersByName } from '../json/members-by-name.ts'
import type { Attribute } from '../schema/attribute.ts'
import type { Schema } from '../schema/define-schema.ts'
import { findSchema } from '../schema/find-schema.ts'
import type { ParseContext } from '../tolerance/parse-context.ts'
import type { AppliedTolerance } from '../tolerance/tolerance.ts'
import { readValue } from '../value/read-value.ts'
import { completeResource } from './complete-resource.ts'

/** What a body says about a resource. */
export interface ParsedResource {
  /** Names as the schema spells them; nothing read-only, no nulls; a password that was given is in it. */
  readonly resource: JsonObject
  readonly applied: readonly AppliedTolerance[]
}

/**
 * Reads the body of a POST or PUT (RFC 7644 §3.3, §3.5.1) by the schemas of its resource type. What is read-only is
 * ignored, whatever it holds.
 * @throws ScimError invalidSyntax — reasons `body_malformed`, `body_too_deep`, `member_repeated`, `schemas_missing`,
 * `schema_unknown`, `attribute_unknown`; invalidValue — the reasons of `readValue`, and `value_required`; 413 `body_too_large`.
 */
export function parseResource(body: unknown, reading: ParseContext): ParsedResource {
  const members = membersByName(boundedObject(body))
  checkSchemas(members.get('schemas')?.value, reading)

  const found = new Map<string, JsonValue | undefined>()
  for (const [key, { name, value }] of members) {
    const attribute = reading.resourceType.attributesByName.get(key)
    const schema = attribute === undefined ? findSchema(name, reading) : undefined
    if (attribute !== undefined) found.set(attribute.name, readWritable(attribute, value, reading))
    else if (schema !== undefined && schema !== reading.resourceType.schema)
      found.set(schema.id, readExtension(schema, value, reading))
    // RFC 7644 §3.12 invalidSyntax: no schema of this type defines it.
    else if (!reading.tolerances.admits('unknown-attributes')) throw refusal('attribute_unknown')
  }
  const resource = completeResource(objectOf(found), reading.resourceType)
  return { resource, applied: reading.tolerances.applied() }
}

/** RFC 7643 §3: `schemas` names the schemas of the body; it decides nothing here, the endpoint does. */
function checkSchemas(schemas: JsonValue | undefined, reading: ParseContext): void {
  if (schemas === undefined || schemas === null) {
    // RFC 7643 §3: required.
    if (!reading.tolerances.admits('schemas-missing')) throw refusal('schemas_missing')
    return
  }
  // RFC 7643 §3: an array of URNs, not empty.
  if (!isArray(schemas) || schemas.length === 0 || schemas.length > 100) throw refusal('schemas_missing')
  const found = schemas.map((urn) => (typeof urn === 'string' ? findSchema(urn, reading) : undefined))
  // RFC 7643 §3: URNs that are declared by the resource type. Entra adds one of Microsoft's own.
  if (found.includes(undefined) && !reading.tolerances.admits('unknown-schemas')) throw refusal('schema_unknown')
  // RFC 7643 §3: the type's own schema is always listed.
  if (!found.includes(reading.resourceType.schema) && !reading.tolerances.admits('schemas-missing'))
    throw refusal('schemas_missing')
}

function readWritable(
  attribute: Attribute,
  value: JsonValue,
  { tolerances: tally }: ParseContext,
): JsonValue | undefined {
  return attribute.mutability === 'readOnly' ? undefined : readValue(attribute, value, tally)
}

function readExtension(schema: Schema, value: JsonValue, reading: ParseContext): JsonObject | undefined {
  if (value === null) return undefined
  // RFC 7643 §3.3: an extension's attributes stand in an object.
  if (!isObject(value)) throw refusal('value_type', { attribute: schema.id })
  const found = new Map<string, JsonValue | undefined>()
  for (const [key, member] of membersByName(value)) {
    const attribute = schema.attributesByName.get(key)
    // RFC 7644 §3.12 invalidSyntax: the extension does not define it.
    if (attribute === undefined && !reading.tolerances.admits('unknown-attributes'))
      throw refusal('attribute_unknown', { attribute: schema.id })
    if (attribute !== undefined) found.set(attribute.name, readWritable(attribute, member.value, reading))
  }
  const extension = objectOf(found)
  return Object.keys(extension).length === 0 ? undefined : extension
}
