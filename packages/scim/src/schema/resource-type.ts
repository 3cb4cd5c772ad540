import { defaultSelection, type Projection, createProjection } from './projection.ts'
import { type Attribute, byName, defineAttribute, nameKey, type Schema } from './schema.ts'

/** An extension of a resource type (RFC 7643 §3.3, §6). */
export interface SchemaExtension {
  readonly schema: Schema
  readonly required: boolean
}

/** A kind of resource (RFC 7643 §6): one schema and its extensions, with what names are looked up in. */
export interface ResourceType {
  /** Also its id, by which `/ResourceTypes/{id}` finds it. */
  readonly name: string
  /** Below the base URI, with a leading slash: `/Users`. */
  readonly endpoint: string
  readonly description: string
  readonly schema: Schema
  readonly extensions: readonly SchemaExtension[]
  /** The common attributes and those of the schema, in the order in which a resource shows them. */
  readonly attributes: readonly Attribute[]
  /** The same by `nameKey`. */
  readonly attributesByName: ReadonlyMap<string, Attribute>
  /** By `nameKey` of the URN. */
  readonly extensionsByUrn: ReadonlyMap<string, Schema>
  /** What an answer shows when nothing is asked for (RFC 7643 §7 returned). */
  readonly defaultProjection: Projection
}

/** What `defineResourceType` takes. */
export interface ResourceTypeOptions {
  /** Such as `User`; also its id, by which `/ResourceTypes/{id}` finds it. */
  readonly name: string
  /** Below the base URI, with a leading slash: `/Users`. */
  readonly endpoint: string
  /**
   * For people who read `/ResourceTypes`.
   * @defaultValue That of the schema. It speaks of the same thing.
   */
  readonly description?: string
  /** The schema that every resource of the type has. */
  readonly schema: Schema
  /**
   * Further schemas; one that is given bare is not required.
   * @defaultValue None. Extensions are the host's.
   */
  readonly extensions?: readonly (SchemaExtension | Schema)[]
}

/**
 * A resource type, frozen.
 * @throws TypeError when two attributes or two extensions have one name.
 */
export function defineResourceType(options: ResourceTypeOptions): ResourceType {
  const attributes = [...leadingAttributes, ...options.schema.attributes, ...trailingAttributes]
  const extensions = (options.extensions ?? []).map((extension) =>
    Object.freeze('schema' in extension ? extension : { schema: extension, required: false }),
  )
  const urns = [options.schema, ...extensions.map(({ schema }) => schema)].map(({ id }) => nameKey(id))
  if (new Set(urns).size < urns.length) throw new TypeError(`${options.name}: one schema is given twice.`)

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
  })
}

/** What every resource begins with (RFC 7643 §3, §3.1). Not listed in `/Schemas`. */
const leadingAttributes = Object.freeze([
  defineAttribute({
    name: 'schemas',
    type: 'reference',
    multiValued: true,
    required: true,
    // Computed from what a resource holds (RFC 7643 §3), never written by hand.
    mutability: 'readOnly',
    returned: 'always',
    referenceTypes: ['uri'],
    // URNs are compared without case (RFC 7644 §3.10).
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

/** What every resource ends with (RFC 7643 §3.1). */
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
