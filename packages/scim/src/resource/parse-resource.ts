import { type Pieces, runAtOnce } from '@mintmark/internal'
import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { refuse } from '../error/scim-error.ts'
import { findSchema, ignoreUnknown } from '../schema/find-attribute.ts'
import type { Attribute, Schema } from '../schema/schema.ts'
import type { AppliedTolerance } from '../tolerance/tolerances.ts'
import type { MessageContext, ParseContext } from '../schema/parse-context.ts'
import { isArray, isObject, membersByName, parseJsonObjectInPieces, toObject } from '../values/json.ts'
import { isWritable, needsValue, readElementsInPieces, readValue } from './read-value.ts'
import { withReferencedIds } from '../values/member-reference.ts'
import { nameKey } from '../values/text.ts'
import { completeResource } from './resource.ts'

/** A parsed resource and the tolerances that it needed. */
interface ParsedResource {
  /**
   * Without read-only attributes and nulls, but with the password if one was sent. Attribute names are spelled as in
   * the schema.
   */
  readonly resource: JsonObject
  readonly applied: readonly AppliedTolerance[]
}

/**
 * Parses the body of a POST or PUT against the schemas of its resource type (RFC 7644 §3.3, §3.5.1). Read-only
 * attributes are ignored, whatever their value.
 * @throws ScimError invalidSyntax — reasons `body_malformed`, `body_too_deep`, `member_repeated`, `schemas_missing`,
 * `schema_unknown`, `attribute_unknown`; invalidValue — the reasons of `readValue`, and `value_required`.
 */
export const parseResource = (body: unknown, context: MessageContext): ParsedResource =>
  runAtOnce(parseResourceInPieces(body, context))

/** Like `parseResource`, but in pieces, because a group may have a hundred thousand members. */
export function* parseResourceInPieces(body: unknown, context: MessageContext): Pieces<ParsedResource> {
  const members = membersByName(yield* parseJsonObjectInPieces(body))
  checkSchemas(members.get('schemas')?.value, context)

  const found = new Map<string, JsonValue | undefined>()
  for (const [key, { name, value }] of members) {
    const attribute = context.resourceType.attributesByName.get(key)
    const schema = attribute === undefined ? findSchema(name, context) : undefined
    if (attribute !== undefined) found.set(attribute.name, yield* readWritable(attribute, value, context))
    else if (schema !== undefined && schema !== context.resourceType.schema)
      found.set(schema.id, readExtension(schema, value, context))
    else {
      // RFC 7643 §3.3: only extensions have an object with their URN.
      const inside = schema !== undefined && isObject(value) ? [...membersByName(value).values()] : []
      for (const member of inside) ignoreUnknown({ name: member.name, extension: schema }, context)
      ignoreUnknown({ name, extension: undefined }, context)
    }
  }
  const resource = completeResource(toObject(found), context.resourceType)
  return { resource, applied: context.tolerances.applied() }
}

/** Checks `schemas`, which lists the schemas of the body (RFC 7643 §3). The resource type follows from the endpoint. */
function checkSchemas(schemas: JsonValue | undefined, context: ParseContext): void {
  if (schemas === undefined || schemas === null) {
    // RFC 7643 §3: required.
    if (!context.tolerances.admits('schemas-missing')) throw refuse('schemas_missing')
    return
  }
  // RFC 7643 §3: an array of URNs, not empty.
  if (!isArray(schemas) || schemas.length > 100) throw refuse('schemas_missing')
  const found = schemas.map((urn) => (typeof urn === 'string' ? findSchema(urn, context) : undefined))
  // RFC 7643 §3: URNs that the resource type declares. Entra adds one of Microsoft's.
  if (found.includes(undefined) && !context.tolerances.admits('unknown-schemas')) throw refuse('schema_unknown')
  // RFC 7643 §3: the type's own schema is always listed.
  if (found.includes(context.resourceType.schema)) return
  // RFC 7643 §3: a body that names a standard schema which this type does not have is meant for another endpoint.
  const isOther = schemas.some((urn, index) => found[index] === undefined && isStandardUrn(urn))
  if (isOther || !context.tolerances.admits('schemas-missing')) throw refuse('schemas_missing')
}

const isStandardUrn = (urn: JsonValue): boolean =>
  typeof urn === 'string' && nameKey(urn).startsWith('urn:ietf:params:scim:')

function* readWritable(
  attribute: Attribute,
  value: JsonValue,
  { tolerances, baseUrl }: MessageContext,
): Pieces<JsonValue | undefined> {
  if (!isWritable(attribute)) return undefined
  if (!attribute.multiValued) return readValue(attribute, value, tolerances)
  const named = baseUrl !== undefined && needsValue(attribute) ? yield* withReferencedIds(value, baseUrl) : value
  const elements = yield* readElementsInPieces(attribute, named, tolerances)
  return elements.length === 0 ? undefined : elements
}

function readExtension(schema: Schema, value: JsonValue, context: MessageContext): JsonObject | undefined {
  if (value === null) return undefined
  // RFC 7643 §3.3: the attributes of an extension are the members of an object.
  if (!isObject(value)) throw refuse('value_type', { attribute: schema.id })
  const found = new Map<string, JsonValue | undefined>()
  for (const [key, member] of membersByName(value)) {
    const attribute = schema.attributesByName.get(key)
    if (attribute !== undefined) found.set(attribute.name, runAtOnce(readWritable(attribute, member.value, context)))
    else if (!isOwnSchemas(key, member.value, schema)) ignoreUnknown({ name: member.name, extension: schema }, context)
  }
  const extension = toObject(found)
  return Object.keys(extension).length === 0 ? undefined : extension
}

/**
 * Returns whether a member of an extension is a `schemas` attribute that lists only the extension itself. RFC 7643 §3
 * defines it for "the current JSON structure", and the models of scim2-models write it into every extension.
 */
export const isOwnSchemas = (key: string, value: JsonValue, { id }: Schema): boolean =>
  key === 'schemas' && isArray(value) && value.every((urn) => typeof urn === 'string' && nameKey(urn) === nameKey(id))
