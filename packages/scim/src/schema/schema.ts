import type { TextRule } from '../values/text.ts'

/** RFC 7643 §2.3. */
export type AttributeType =
  'string' | 'boolean' | 'decimal' | 'integer' | 'dateTime' | 'binary' | 'reference' | 'complex'

/** RFC 7643 §2.2: who may write it, and when. */
export type Mutability = 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly'

/** RFC 7643 §2.2: when it is part of an answer. */
export type Returned = 'always' | 'never' | 'default' | 'request'

/** RFC 7643 §2.2. */
export type Uniqueness = 'none' | 'server' | 'global'

/** An attribute or a sub-attribute: the members of RFC 7643 §7, and the bounds that this server puts on values. */
export interface Attribute {
  /** A letter, and then letters, digits, `$`, `_` and `-`. */
  readonly name: string
  /**
   * What its values are.
   * @defaultValue `string`. RFC 7643 §2.2 has it so.
   */
  readonly type: AttributeType
  /**
   * Whether it is a list.
   * @defaultValue `false`. RFC 7643 §2.2 has it so.
   */
  readonly multiValued: boolean
  /**
   * For people who read `/Schemas`.
   * @defaultValue Empty. The name may say enough.
   */
  readonly description: string
  /**
   * Whether a resource must have it.
   * @defaultValue `false`. RFC 7643 §2.2 has it so.
   */
  readonly required: boolean
  /**
   * Whether texts are compared as they are; otherwise in the form that `foldCase` gives them.
   * @defaultValue `false`, and `true` for binary values and references. RFC 7643 §2.2 and §2.3 have it so.
   */
  readonly caseExact: boolean
  /**
   * Who may write it, and when.
   * @defaultValue `readWrite`. RFC 7643 §2.2 has it so.
   */
  readonly mutability: Mutability
  /**
   * When it is part of an answer.
   * @defaultValue `default`. RFC 7643 §2.2 has it so.
   */
  readonly returned: Returned
  /**
   * Published. For attributes of the host's own nothing more is made of it.
   * @defaultValue `none`. RFC 7643 §2.2 has it so.
   */
  readonly uniqueness: Uniqueness
  /**
   * Suggestions (RFC 7643 §7); other values are admitted.
   * @defaultValue None. Anything goes.
   */
  readonly canonicalValues: readonly string[]
  /**
   * For references: names of resource types, `external` or `uri`.
   * @defaultValue None. Only references have them.
   */
  readonly referenceTypes: readonly string[]
  /** Empty unless the type is complex. */
  readonly subAttributes: readonly Attribute[]
  /** The same by `nameKey`. Not published. */
  readonly subAttributesByName: ReadonlyMap<string, Attribute>
  /**
   * Which characters a text may hold. Not published.
   * @defaultValue `line`. What has no line breaks can stand in a log line or a header.
   */
  readonly characters: TextRule
  /**
   * The most characters of a text. Not published.
   * @defaultValue 1024, 2048 for references and 16384 for binary values. One user stays well below what a message may
   *   hold.
   */
  readonly maxLength: number
  /**
   * The most values of a multi-valued attribute. Not published.
   * @defaultValue 20. Nobody has so many addresses, and one list does not fill a database.
   */
  readonly maxValues: number
}

/** What `defineAttribute` takes: a name, and whatever differs from the defaults of RFC 7643 §2.2. */
export type AttributeOptions = Partial<Omit<Attribute, 'name' | 'subAttributes' | 'subAttributesByName'>> & {
  /** A letter, and then letters, digits, `$`, `_` and `-` (RFC 7643 §2.1). */
  readonly name: string
  /**
   * What a complex attribute is made of; none of them is complex itself (RFC 7643 §2.3.8).
   * @defaultValue None. Only complex attributes have them, and they must.
   */
  readonly subAttributes?: readonly AttributeOptions[]
}

/**
 * An attribute with the defaults of RFC 7643 §2.2 filled in, deeply frozen.
 * @throws TypeError for what RFC 7643 does not admit; a mistake in a program, not in a request.
 */
export function defineAttribute(options: AttributeOptions): Attribute {
  const type = options.type ?? 'string'
  const subAttributes = (options.subAttributes ?? []).map(defineAttribute)
  check(options, subAttributes)

  return Object.freeze({
    name: options.name,
    type,
    multiValued: options.multiValued ?? false,
    description: options.description ?? '',
    required: options.required ?? false,
    // RFC 7643 §2.3.6, §2.3.7: binary values and references are case-exact by their nature.
    caseExact: options.caseExact ?? (type === 'binary' || type === 'reference'),
    mutability: options.mutability ?? 'readWrite',
    returned: options.returned ?? 'default',
    uniqueness: options.uniqueness ?? 'none',
    canonicalValues: Object.freeze([...(options.canonicalValues ?? [])]),
    referenceTypes: Object.freeze([...(options.referenceTypes ?? [])]),
    subAttributes: Object.freeze(subAttributes),
    subAttributesByName: byName(subAttributes, options.name),
    characters: options.characters ?? 'line',
    maxLength: options.maxLength ?? defaultMaxLength(type),
    maxValues: options.maxValues ?? 20,
  })
}

function check(
  { name, type, uniqueness = 'none', referenceTypes = [] }: AttributeOptions,
  subAttributes: readonly Attribute[],
): void {
  // RFC 7643 §2.1; `$ref` is the one name that starts otherwise. Names of Object.prototype are kept out: other programs
  // put attributes into ordinary objects.
  if (!(attributeName.test(name) || name === '$ref') || name in Object.prototype) {
    throw new TypeError(`${name} is not a name for an attribute (RFC 7643 §2.1).`)
  }
  if ((type === 'complex') !== subAttributes.length > 0) {
    throw new TypeError(`${name}: a complex attribute, and no other, has sub-attributes (RFC 7643 §2.3.8).`)
  }
  // RFC 7643 §2.3.8 with erratum 8415.
  if (subAttributes.some((sub) => sub.type === 'complex'))
    throw new TypeError(`${name}: a sub-attribute cannot be complex.`)
  // RFC 7643 §2.2 with erratum 6004.
  if (type === 'complex' && uniqueness !== 'none')
    throw new TypeError(`${name}: a complex attribute has no uniqueness.`)
  if (type !== 'reference' && referenceTypes.length > 0)
    throw new TypeError(`${name}: only a reference has referenceTypes.`)
}

function defaultMaxLength(type: Attribute['type']): number {
  if (type === 'binary') return 16_384
  return type === 'reference' ? 2048 : 1024
}

/** RFC 7643 §2.1: ATTRNAME = ALPHA *(nameChar). */
const attributeName = /^[A-Za-z][A-Za-z0-9$_-]*$/

/** A schema (RFC 7643 §7): what validation, filters, PATCH, projection and `/Schemas` are all made from. */
export interface Schema {
  /** Its URN. */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly attributes: readonly Attribute[]
  /** The same by `nameKey`. Not published. */
  readonly attributesByName: ReadonlyMap<string, Attribute>
}

/** What `defineSchema` takes. */
export interface SchemaOptions {
  /** A URN, such as `urn:example:params:scim:schemas:extension:staff:2.0:User`. */
  readonly id: string
  /** For people. */
  readonly name: string
  /**
   * For people who read `/Schemas`.
   * @defaultValue Empty. The name may say enough.
   */
  readonly description?: string
  /** What it defines. */
  readonly attributes: readonly AttributeOptions[]
}

/**
 * A schema of one's own, such as an extension for what a company keeps about its people. Deeply frozen.
 * @throws TypeError when the id is not a URN or an attribute is not what RFC 7643 admits.
 */
export function defineSchema({ id, name, description = '', attributes }: SchemaOptions): Schema {
  if (!schemaUrn.test(id) || id.length > 200) throw new TypeError(`${id} is not a URN for a schema (RFC 7643 §2.1).`)
  const defined = attributes.map(defineAttribute)
  return Object.freeze({
    id,
    name,
    description,
    attributes: Object.freeze(defined),
    attributesByName: byName(defined, id),
  })
}

/** A URN (RFC 8141 §2) of the characters that can also stand in a filter. */
const schemaUrn = /^urn:[A-Za-z0-9][A-Za-z0-9-]{1,31}:[A-Za-z0-9:._-]*[A-Za-z0-9]$/i

/**
 * Attributes to be looked up by `nameKey`; a Map, so that no name reaches a prototype.
 * @throws TypeError when two names differ by case only (RFC 7643 §2.1).
 */
export function byName(attributes: readonly Attribute[], owner: string): ReadonlyMap<string, Attribute> {
  const found = new Map(attributes.map((attribute) => [nameKey(attribute.name), attribute]))
  if (found.size < attributes.length)
    throw new TypeError(`${owner}: two attributes have one name; names do not differ by case.`)
  return found
}

/** What names of attributes and schemas are looked up by: they do not differ by case (RFC 7643 §2.1, RFC 7644 §3.10). ASCII. */
export const nameKey = (name: string): string => name.toLowerCase()
