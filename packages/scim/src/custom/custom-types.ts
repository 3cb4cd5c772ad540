import { anObject, listOf, type OptionCheck, optionsOf, required } from '@mintmark/internal'
import type { JsonObject } from '@mintmark/storage-interface'
import type { ProviderId } from '@mintmark/storage-interface/stores'

import { defineResourceType, type ResourceType } from '../schema/resource-type.ts'
import { type Attribute, type AttributeOptions, defineSchema, type Schema } from '../schema/schema.ts'
import { nameKey } from '../values/text.ts'
import { referenceAttributes } from './references.ts'

/**
 * A resource type of the host. Without `resources`, a type is stored: directories write its resources. With
 * `resources`, it is supplied: directories only read the resources of the host.
 */
export type CustomResourceType = ResourceType | SuppliedResourceType

/** A resource type whose resources the host supplies. */
export interface SuppliedResourceType {
  readonly resourceType: ResourceType
  /**
   * All resources, or a function that returns the resources of a provider. The function is called for each request, so
   * it should be fast.
   */
  readonly resources:
    | readonly SuppliedResource[]
    | ((request: {
        readonly providerId: ProviderId
      }) => readonly SuppliedResource[] | Promise<readonly SuppliedResource[]>)
}

/**
 * A resource that the host supplies: its attributes by name, and the attributes of an extension in an object under its
 * URN. It may have `externalId`, and `created` and `lastModified` in `meta`; the server adds `schemas` and the rest of
 * `meta`.
 */
interface SuppliedResource extends JsonObject {
  /** Up to 255 characters; unique within the type and the provider. */
  readonly id: string
}

/** Checks that a value was returned by `defineResourceType`. */
export const aResourceType: OptionCheck = (value) =>
  typeof value === 'object' && value !== null && Reflect.get(value, 'attributesByName') instanceof Map
    ? undefined
    : 'must be made with defineResourceType'

const aSuppliedType = optionsOf<SuppliedResourceType>({
  resourceType: required(aResourceType),
  resources: required((value) =>
    typeof value === 'function' ? undefined : listOf(anObject)(value) && 'must be a list of resources, or a function',
  ),
})

export const aCustomType: OptionCheck = (value) =>
  typeof value === 'object' && value !== null && 'resourceType' in value ? aSuppliedType(value) : aResourceType(value)

/** The custom types of a server. */
export interface CustomTypes {
  readonly stored: readonly ResourceType[]
  readonly supplied: readonly SuppliedResourceType[]
  /** All of them in the order of the option, as `/ResourceTypes` and `/Schemas` publish them. */
  readonly published: readonly ResourceType[]
}

/**
 * Checks the resource types of the host when a server is created.
 * @param standard the types of users and groups.
 * @throws TypeError when a name, an endpoint or a schema is already used, or an endpoint is reserved.
 */
export function checkCustomTypes(
  customTypes: readonly CustomResourceType[],
  standard: readonly ResourceType[],
): CustomTypes {
  if (customTypes.length > maximumTypes) throw new TypeError(`resourceTypes has more than ${maximumTypes} types.`)
  const types = customTypes.map(typeOf)
  const all = [...standard, ...types]
  for (const { name, endpoint } of types) checkNames(name, endpoint)
  refuseRepeated(all, 'name', 'name')
  refuseRepeated(all, 'endpoint', 'endpoint')
  refuseSchemasWithSameUrn(all.flatMap(schemasOf))
  for (const type of types) checkReferences(type, all)
  refuseIndexes(types.flatMap(schemasOf), new Set(standard.flatMap(schemasOf)))

  const stored = customTypes.filter((type): type is ResourceType => !isSupplied(type))
  const writable = new Set([...standard, ...stored].flatMap(schemasOf))
  return {
    stored: stored.map(withComputedReferences),
    supplied: customTypes.filter(isSupplied),
    published: customTypes.map((type) => (isSupplied(type) ? publishedType(type.resourceType, writable) : type)),
  }
}

const isSupplied = (type: CustomResourceType): type is SuppliedResourceType => 'resourceType' in type

const typeOf = (type: CustomResourceType): ResourceType => (isSupplied(type) ? type.resourceType : type)

const schemasOf = ({ schema, extensions }: ResourceType): readonly Schema[] => [
  schema,
  ...extensions.map((extension) => extension.schema),
]

function checkNames(name: string, endpoint: string): void {
  if (!namePattern.test(name) || reservedNames.has(nameKey(name)))
    throw new TypeError(`resourceTypes: ${JSON.stringify(name)} cannot be the name of a resource type.`)
  // RFC 7644 §3.2: these endpoints have another meaning.
  if (!endpointPattern.test(endpoint) || reservedEndpoints.has(nameKey(endpoint)))
    throw new TypeError(
      `resourceTypes: ${JSON.stringify(endpoint)} cannot be an endpoint. Use a slash, a letter and then letters, digits, "_" and "-".`,
    )
}

function refuseRepeated(types: readonly ResourceType[], member: 'name' | 'endpoint', label: string): void {
  const seen = new Set<string>()
  for (const type of types) {
    // RFC 7644 §3.10 and common practice: neither names nor endpoints differ by case alone.
    const key = nameKey(type[member])
    if (seen.has(key)) throw new TypeError(`Two resource types have the ${label} ${type[member]}.`)
    seen.add(key)
  }
}

/**
 * Refuses different schemas with the same URN, because a URN identifies one schema (RFC 7643 §7). Types may share a
 * schema, as Okta's types of entitlements do.
 */
function refuseSchemasWithSameUrn(schemas: readonly Schema[]): void {
  const byUrn = new Map<string, Schema>()
  for (const schema of schemas) {
    const key = nameKey(schema.id)
    if (reservedUrn.test(schema.id)) throw new TypeError(`${schema.id} is reserved for SCIM messages and discovery.`)
    if ((byUrn.get(key) ?? schema) !== schema)
      throw new TypeError(`Two schemas have the URN ${schema.id}. Define it once and use it in both types.`)
    byUrn.set(key, schema)
  }
}

/**
 * Refuses indexed attributes of custom types: only users have indexes, and the filters of a custom type would still
 * read every resource.
 */
function refuseIndexes(schemas: readonly Schema[], standardSchemas: ReadonlySet<Schema>): void {
  const customSchemas = schemas.filter((schema) => !standardSchemas.has(schema))
  const indexed = customSchemas
    .flatMap(({ attributes }) => attributes.flatMap((attribute) => [attribute, ...attribute.subAttributes]))
    .find((attribute) => attribute.indexed)
  if (indexed !== undefined) throw new TypeError(`${indexed.name}: only attributes of users can be indexed.`)
}

function checkReferences(type: ResourceType, all: readonly ResourceType[]): void {
  const names = new Set(all.map(({ name }) => nameKey(name)))
  for (const { attribute, types } of referenceAttributes(type)) {
    const unknown = types.find((name) => !names.has(nameKey(name)))
    if (unknown !== undefined)
      throw new TypeError(`${type.name}: ${attribute.name} refers to ${unknown}, which is not a resource type.`)
    if (types.length > 1 && !attribute.subAttributesByName.has('type'))
      throw new TypeError(
        `${type.name}: ${attribute.name} refers to several types, so it needs a sub-attribute "type".`,
      )
  }
}

/** Letters, digits, `_` and `-`: names are parts of URLs and of JSON, and keys of stored rows. */
const namePattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/
const endpointPattern = /^\/[A-Za-z][A-Za-z0-9_-]{0,63}$/

const reservedNames: ReadonlySet<string> = new Set(['schema', 'resourcetype', 'serviceproviderconfig'])

const reservedEndpoints: ReadonlySet<string> = new Set(
  ['/Users', '/Groups', '/Me', '/Bulk', '/Schemas', '/ResourceTypes', '/ServiceProviderConfig'].map(nameKey),
)

const reservedUrn = /^urn:ietf:params:scim:(?:api:|schemas:core:2\.0:(?:Schema|ResourceType|ServiceProviderConfig)$)/i

/** Discovery and the root search read every type. */
const maximumTypes = 50

/** Returns a supplied type as discovery shows it: clients cannot write it, unless a stored type has the same schema. */
const publishedType = (type: ResourceType, writable: ReadonlySet<Schema>): ResourceType =>
  withSchemas(type, (schema) => (writable.has(schema) ? schema : withMutability(schema, 'readOnly')))

/**
 * Returns a supplied type as its resources are parsed and searched, with all attributes writable: the host also
 * supplies the values of read-only attributes, and filters find them.
 */
export const parsedType = (type: ResourceType): ResourceType =>
  withSchemas(type, (schema) => withMutability(schema, 'readWrite'))

/** Returns a stored type whose references have a computed `$ref`: it is not stored, so that no filter can find it. */
function withComputedReferences(type: ResourceType): ResourceType {
  const references = new Set(referenceAttributes(type).map(({ attribute }) => attribute))
  if (references.size === 0) return type
  return withSchemas(type, (schema) =>
    defineSchema({
      ...schema,
      attributes: schema.attributes.map((attribute) =>
        references.has(attribute) ? withComputedReference(attribute) : attribute,
      ),
    }),
  )
}

const withComputedReference = ({ subAttributes, ...attribute }: Attribute): AttributeOptions => ({
  ...attribute,
  subAttributes: subAttributes.map((sub) => (sub.name === '$ref' ? { ...sub, isComputed: true } : sub)),
})

function withSchemas(type: ResourceType, change: (schema: Schema) => Schema): ResourceType {
  const { name, endpoint, description, schema, extensions } = type
  return defineResourceType({
    name,
    endpoint,
    description,
    schema: change(schema),
    extensions: extensions.map((extension) => ({ ...extension, schema: change(extension.schema) })),
  })
}

const withMutability = (schema: Schema, mutability: Attribute['mutability']): Schema =>
  defineSchema({ ...schema, attributes: schema.attributes.map((attribute) => changeMutability(attribute, mutability)) })

const changeMutability = (attribute: Attribute, mutability: Attribute['mutability']): AttributeOptions => ({
  ...attribute,
  mutability,
  subAttributes: attribute.subAttributes.map((sub) => changeMutability(sub, mutability)),
})
