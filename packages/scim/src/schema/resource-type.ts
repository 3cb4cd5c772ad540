import {
  aBoolean,
  anObject,
  aNonEmptyString,
  checkOptions,
  listOf,
  type OptionCheck,
  type OptionChecks,
  optionsOf,
  required,
} from '@mintmark/internal'

import { createProjection, defaultSelection, type Projection } from './projection.ts'
import { aDescription, type Attribute, byName, defineAttribute, type Schema } from './schema.ts'
import { nameKey } from '../values/text.ts'

/** An extension of a resource type (RFC 7643 §3.3, §6). */
interface SchemaExtension {
  readonly schema: Schema
  readonly required: boolean
}

/** A resource type (RFC 7643 §6): a schema, its extensions, and maps for looking up names. */
export interface ResourceType {
  /** Also its id at `/ResourceTypes/{id}`. */
  readonly name: string
  /** Below the base URI, with a leading slash: `/Users`. */
  readonly endpoint: string
  readonly description: string
  readonly schema: Schema
  readonly extensions: readonly SchemaExtension[]
  /** The common attributes and the attributes of the schema, in the order in which responses show them. */
  readonly attributes: readonly Attribute[]
  /** The same attributes by `nameKey`. */
  readonly attributesByName: ReadonlyMap<string, Attribute>
  /** By `nameKey` of the URN. */
  readonly extensionsByUrn: ReadonlyMap<string, Schema>
  /** The attributes that a response shows by default (RFC 7643 §7 returned). */
  readonly defaultProjection: Projection
  /** Whether an attribute is shown only on request, or in the response to a write (RFC 7643 §7 returned). */
  readonly hasRequestAttributes: boolean
}

/** Options of `defineResourceType`. */
interface ResourceTypeOptions {
  /** The name, such as `User`. It is also the id at `/ResourceTypes/{id}`. */
  readonly name: string
  /** The path of the endpoint, relative to the base URI, with a leading slash: `/Users`. */
  readonly endpoint: string
  /**
   * Shown at `/ResourceTypes`.
   * @defaultValue The description of the schema. Both describe the same resource.
   */
  readonly description?: string
  /** The schema of every resource of the type. */
  readonly schema: Schema
  /**
   * Extension schemas. A schema without `required` is optional.
   * @defaultValue None. Only the host defines extensions.
   */
  readonly extensions?: readonly (SchemaExtension | Schema)[]
}

const aSchema: OptionCheck = (value) =>
  typeof value === 'object' && value !== null && Reflect.get(value, 'attributesByName') instanceof Map
    ? undefined
    : 'must be made with defineSchema'

const anExtension: OptionCheck = (value) =>
  typeof value === 'object' && value !== null && 'schema' in value
    ? optionsOf<SchemaExtension>({ schema: required(aSchema), required: required(aBoolean) })(value)
    : aSchema(value)

/** The last five members are accepted and ignored, because a resource type that was already defined has them. */
const optionChecks: OptionChecks<ResourceTypeOptions & Partial<Omit<ResourceType, keyof ResourceTypeOptions>>> = {
  name: required(aNonEmptyString),
  endpoint: required(aNonEmptyString),
  description: aDescription,
  schema: required(aSchema),
  extensions: listOf(anExtension),
  attributes: listOf(anObject),
  attributesByName: anObject,
  extensionsByUrn: anObject,
  defaultProjection: anObject,
  hasRequestAttributes: aBoolean,
}

/**
 * Defines a resource type. The result is frozen.
 * @throws TypeError when two attributes or two extensions have the same name.
 */
export function defineResourceType(options: ResourceTypeOptions): ResourceType {
  checkOptions('defineResourceType', options, optionChecks)
  const attributes = [...leadingAttributes, ...options.schema.attributes, ...trailingAttributes]
  const extensions = (options.extensions ?? []).map((extension) =>
    Object.freeze('schema' in extension ? extension : { schema: extension, required: false }),
  )
  const urns = [options.schema, ...extensions.map(({ schema }) => schema)].map(({ id }) => nameKey(id))
  if (new Set(urns).size < urns.length) throw new TypeError(`${options.name}: the same schema is given twice.`)

  return Object.freeze({
    name: options.name,
    endpoint: options.endpoint,
    description: options.description ?? options.schema.description,
    schema: options.schema,
    extensions: Object.freeze(extensions),
    attributes: Object.freeze(attributes),
    attributesByName: byName(attributes, options.name),
    extensionsByUrn: new Map(extensions.map(({ schema }) => [nameKey(schema.id), schema])),
    defaultProjection: createProjection({ attributes, extensions }, defaultSelection),
    hasRequestAttributes: [attributes, ...extensions.map(({ schema }) => schema.attributes)].some((defined) =>
      defined.some(({ returned, subAttributes }) =>
        [returned, ...subAttributes.map((sub) => sub.returned)].includes('request'),
      ),
    ),
  })
}

/** The common attributes at the start of every resource (RFC 7643 §3, §3.1). Not listed in `/Schemas`. */
const leadingAttributes = Object.freeze([
  defineAttribute({
    name: 'schemas',
    type: 'reference',
    multiValued: true,
    required: true,
    // Computed from the content of the resource (RFC 7643 §3).
    mutability: 'readOnly',
    returned: 'always',
    referenceTypes: ['uri'],
    // URNs are case-insensitive (RFC 7644 §3.10).
    caseExact: false,
  }),
  defineAttribute({
    name: 'id',
    required: true,
    caseExact: true,
    mutability: 'readOnly',
    returned: 'always',
    uniqueness: 'global',
  }),
  defineAttribute({ name: 'externalId', caseExact: true }),
])

/** The common attributes at the end of every resource (RFC 7643 §3.1). */
const trailingAttributes = Object.freeze([
  defineAttribute({
    name: 'meta',
    type: 'complex',
    mutability: 'readOnly',
    subAttributes: [
      { name: 'resourceType', caseExact: true, mutability: 'readOnly' },
      { name: 'created', type: 'dateTime', mutability: 'readOnly' },
      { name: 'lastModified', type: 'dateTime', mutability: 'readOnly' },
      { name: 'location', type: 'reference', mutability: 'readOnly', referenceTypes: ['uri'] },
      { name: 'version', caseExact: true, mutability: 'readOnly' },
    ],
  }),
])
