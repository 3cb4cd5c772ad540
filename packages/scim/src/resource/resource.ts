// One file, because completing, comparing and showing a resource all walk through the attributes of its schemas.

import type { EpochSeconds, JsonObject, JsonValue } from '@mintmark/storage-interface'
import { refuse } from '../error/scim-error.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { Attribute } from '../schema/schema.ts'
import { getMember, isArray, isObject, toObject, withMember } from '../values/json.ts'
import { foldCase, formatInstant, nameKey, parseInstant } from '../values/text.ts'
import type { JsonText } from '@mintmark/storage-interface/stores'
import { findAttribute, findSchema, parseAttributeName } from '../schema/find-attribute.ts'
import { createProjection, defaultSelection, type ProjectedAttribute, type Projection } from '../schema/projection.ts'
import { createParseContext } from '../schema/parse-context.ts'

/**
 * Checks that required attributes have values, and sets `schemas` to the schema of the resource and the extensions that it uses
 * (RFC 7643 §3).
 * @throws ScimError invalidValue — reason `value_required`.
 */
export function completeResource(resource: JsonObject, resourceType: ResourceType): JsonObject {
  requireValues(resourceType.attributes, resource)
  for (const { schema, required } of resourceType.extensions) {
    const extension = getMember(resource, schema.id)
    // RFC 7643 §6: a required extension is part of every resource.
    if (extension === undefined && required) throw refuse('value_required', { attribute: schema.id })
    if (isObject(extension)) requireValues(schema.attributes, extension)
  }
  return withSchemas(resource, resourceType)
}

/**
 * Refuses a PATCH after which a user or an agent has no `active`, because each is either active or not. A remove, null
 * and an empty string mean the same (RFC 7643 §2.5), and may be a deactivation that was lost.
 */
export function requireActive(patched: JsonObject): JsonObject {
  // RFC 7644 §3.5.2.2: a required attribute cannot be removed.
  if (getMember(patched, 'active') === undefined) throw refuse('attribute_required', { attribute: 'active' })
  return patched
}

/**
 * Refuses a body that names `active` without a value. An omitted `active` stays as it is.
 * @param body the body of a POST or PUT, which was parsed as `resource`.
 */
export function requireStatedActive(body: unknown, resource: JsonObject): void {
  const isStated = isObject(body) && Object.keys(body).some((name) => nameKey(name) === 'active')
  // RFC 7643 §2.5 and RFC 7644 §3.12 invalidValue.
  if (isStated && getMember(resource, 'active') === undefined) throw refuse('value_required', { attribute: 'active' })
}

function requireValues(attributes: readonly Attribute[], owner: JsonObject): void {
  const missing = attributes.find(
    ({ required, mutability, name }) => required && mutability !== 'readOnly' && isMissing(getMember(owner, name)),
  )
  // RFC 7643 §2.2 required, §2.5: an empty string is no value either.
  if (missing !== undefined) throw refuse('value_required', { attribute: missing.name })
}

const isMissing = (value: JsonValue | undefined): boolean => value === undefined || value === ''

function withSchemas(resource: JsonObject, { schema, extensions }: ResourceType): JsonObject {
  const used = extensions.map((extension) => extension.schema.id).filter((id) => Object.hasOwn(resource, id))
  const schemas = [schema.id, ...used]
  const listed = getMember(resource, 'schemas')
  const isCurrent = isArray(listed) && listed.length === schemas.length && schemas.every((id) => listed.includes(id))
  return isCurrent ? resource : withMember(resource, 'schemas', schemas)
}

/**
 * Returns the comparable form of a resource, which filters and sorting use in memory and in databases: strings are
 * case-folded (RFC 7643 §2.2 caseExact), and dates are milliseconds since 1970. It contains only attributes that a
 * schema defines. It omits an empty string of an optional unique attribute: clients send it to clear the attribute, and
 * may do so in many resources.
 */
export function comparableResource(resource: JsonObject, resourceType: ResourceType): JsonObject {
  const own = comparableMembers(resourceType.attributes, resource)
  for (const { schema } of resourceType.extensions) {
    const extension = getMember(resource, schema.id)
    if (isObject(extension)) own.push([schema.id, toObject(comparableMembers(schema.attributes, extension))])
  }
  return toObject(own)
}

/** Returns the comparable form of one value, such as an element that a value filter tests. */
export function comparableValue(attribute: Attribute, value: JsonValue): JsonValue | undefined {
  if (isArray(value)) return value.map((element) => comparableValue(attribute, element) ?? null)
  if (attribute.type === 'complex')
    return isObject(value) ? toObject(comparableMembers(attribute.subAttributes, value)) : undefined
  if (typeof value !== 'string') return value
  if (attribute.type === 'dateTime') return parseInstant(value)
  return attribute.caseExact ? value : foldCase(value)
}

/** Returns the comparable members that have a value: of the many attributes of a schema, most resources have few. */
function comparableMembers(attributes: readonly Attribute[], owner: JsonObject): [string, JsonValue][] {
  const members: [string, JsonValue][] = []
  for (const attribute of attributes) {
    const stored = getMember(owner, attribute.name)
    if (stored === undefined) continue
    const isClearable = attribute.uniqueness !== 'none' && !attribute.required
    const value = isClearable ? withoutEmptyText(stored) : stored
    const comparable = value === undefined ? undefined : comparableValue(attribute, value)
    if (comparable !== undefined) members.push([attribute.name, comparable])
  }
  return members
}

function withoutEmptyText(value: JsonValue | undefined): JsonValue | undefined {
  if (isArray(value)) return value.filter((element) => element !== '')
  return value === '' ? undefined : value
}

/**
 * Returns the part of a resource that a response shows, in the order of its schemas (RFC 7644 §3.9). Only attributes
 * that a schema defines are shown, whatever storage contains.
 */
export function projectResource(resource: JsonObject, { attributes, extensions }: Projection): JsonObject {
  const shown = projectMembers(attributes, resource) ?? {}
  for (const { urn, attributes: extensionAttributes } of extensions) {
    const extension = getMember(resource, urn)
    const members = isObject(extension) ? projectMembers(extensionAttributes, extension) : undefined
    if (members !== undefined) shown[urn] = members
  }
  return shown
}

/** Returns whether a response shows an attribute. An attribute that is not shown need not be read. */
export const includesAttribute = (name: string, { attributes }: Projection): boolean =>
  attributes.some((attribute) => attribute.name === name)

/**
 * Returns the shown attributes of an object; undefined when there are none. The result is an ordinary object, which is
 * serialized three times as fast as one without a prototype. Its names come from a schema, and no schema defines
 * `__proto__`.
 */
function projectMembers(
  attributes: readonly ProjectedAttribute[],
  owner: JsonObject,
): Record<string, JsonValue> | undefined {
  let members: Record<string, JsonValue> | undefined
  for (const { name, parts } of attributes) {
    const value = getMember(owner, name)
    if (value === undefined || value === null) continue
    const picked = parts === undefined ? value : projectParts(parts, value)
    if (picked === undefined) continue
    members ??= {}
    members[name] = picked
  }
  return members
}

function projectParts(parts: readonly ProjectedAttribute[], value: JsonValue): JsonValue | undefined {
  if (!isArray(value)) return isObject(value) ? projectMembers(parts, value) : undefined
  const elements: JsonValue[] = []
  for (const element of value) {
    const members = isObject(element) ? projectMembers(parts, element) : undefined
    if (members !== undefined) elements.push(members)
  }
  return elements.length === 0 ? undefined : elements
}

/** `attributes` and `excludedAttributes`, split at commas. */
export interface RequestedAttributes {
  readonly attributes?: readonly string[] | undefined
  readonly excludedAttributes?: readonly string[] | undefined
}

/**
 * Parses the names of the attributes that a response shows, once per request. Unknown names are ignored.
 * @throws ScimError invalidSyntax — reasons `projection_both`, `projection_too_many`.
 */
export function parseProjection(
  { attributes, excludedAttributes }: RequestedAttributes,
  resourceType: ResourceType,
): Projection {
  // RFC 7644 §3.9: only one of the two is allowed.
  if (attributes !== undefined && excludedAttributes !== undefined) throw refuse('projection_both')
  const names = attributes ?? excludedAttributes ?? []
  // RFC 7644 §3.12: more names than any schema defines are refused.
  if (names.length > maximumNames) throw refuse('projection_too_many')
  if (names.length === 0) return resourceType.defaultProjection

  const found = names.flatMap((name) => findNamed(name, resourceType))
  return createProjection(resourceType, {
    kind: attributes === undefined ? 'without' : 'only',
    named: new Set(found.map(({ attribute, subAttribute }) => subAttribute ?? attribute)),
    written: new Set(),
    partly: new Set(found.filter(({ subAttribute }) => subAttribute !== undefined).map(({ attribute }) => attribute)),
  })
}

/**
 * Returns the projection of the response to a write. It also shows the attributes that the request wrote and that are
 * otherwise shown only on request (RFC 7643 §7 returned). The response to a request that names attributes shows exactly
 * the named attributes.
 * @param written returns the written attributes. Called only when the resource type has attributes that are shown on
 * request.
 */
export function projectionOfWrite(
  projection: Projection,
  resourceType: ResourceType,
  written: () => Iterable<Attribute>,
): Projection {
  if (!resourceType.hasRequestAttributes || projection !== resourceType.defaultProjection) return projection
  const onRequest = [...written()].filter(({ returned }) => returned === 'request')
  return onRequest.length === 0
    ? projection
    : createProjection(resourceType, { ...defaultSelection, written: new Set(onRequest) })
}

/** Returns the attributes and sub-attributes that have values in a resource. */
export function attributesIn(resource: JsonObject, { attributes, extensions }: ResourceType): readonly Attribute[] {
  const inExtensions = extensions.flatMap(({ schema }) => {
    const extension = getMember(resource, schema.id)
    return isObject(extension) ? attributesOf(schema.attributes, extension) : []
  })
  return [...attributesOf(attributes, resource), ...inExtensions]
}

function attributesOf(attributes: readonly Attribute[], owner: JsonObject): readonly Attribute[] {
  return attributes.flatMap((attribute) => {
    const value = getMember(owner, attribute.name)
    if (value === undefined) return []
    const parts = (isArray(value) ? value : [value]).filter(isObject)
    return [attribute, ...parts.flatMap((part) => attributesOf(attribute.subAttributes, part))]
  })
}

interface NamedAttribute {
  readonly attribute: Attribute
  readonly subAttribute: Attribute | undefined
}

function findNamed(text: string, resourceType: ResourceType): readonly NamedAttribute[] {
  const context = createParseContext(resourceType, new Set())
  // Entra adds a value filter: emails[type eq "work"] is treated as emails.
  const [trimmed = ''] = text.trim().split('[', 1)
  const schema = trimmed.length > maximumLength ? undefined : findSchema(trimmed, context)
  if (schema !== undefined) return schema.attributes.map((attribute) => ({ attribute, subAttribute: undefined }))
  const name = trimmed.length > maximumLength ? undefined : parseAttributeName(trimmed)
  const found = name === undefined ? undefined : findAttribute(name, context)
  return found === undefined ? [] : [found]
}

const maximumNames = 200
const maximumLength = 400

/** Splits `attributes=userName,emails` into names (RFC 7644 §3.9), up to one more than `parseProjection` allows. */
export const splitAttributeNames = (list: string): readonly string[] =>
  list
    .split(',', maximumNames + 1)
    .map((name) => name.trim())
    .filter((name) => nameKey(name) !== '')

/** The input of `renderMeta`. */
interface ResourceMeta {
  /** The name of the type, which needs no escapes. */
  readonly resourceType: string
  readonly record: { readonly createdAt: EpochSeconds; readonly updatedAt: EpochSeconds }
  readonly location: string
  readonly version: string | undefined
}

/**
 * Renders the `meta` of a resource (RFC 7643 §3.1) as JSON text, because building and serializing an object takes twice
 * as long and a page has up to 200 resources.
 */
export function renderMeta({
  resourceType,
  record: { createdAt, updatedAt },
  location,
  version,
}: ResourceMeta): JsonText {
  const created = formatInstant(createdAt)
  const lastModified = updatedAt === createdAt ? created : formatInstant(updatedAt)
  const locationJson = JSON.stringify(location)
  return `{"resourceType":"${resourceType}","created":"${created}","lastModified":"${lastModified}","location":${locationJson}${version === undefined ? '' : `,"version":${JSON.stringify(version)}`}}` as JsonText
}
