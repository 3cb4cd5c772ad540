// One file, because a schema is a list of attributes, and both are defined and checked by the same rules.

import {
  aBoolean,
  aListOfStrings,
  anObject,
  aNonEmptyString,
  aString,
  checkOptions,
  listOf,
  oneOf,
  type OptionChecks,
  required,
  wholeNumber,
} from '@mintmark/internal'

import { nameKey, type TextRule } from '../values/text.ts'

/** RFC 7643 §2.3. */
type AttributeType = 'string' | 'boolean' | 'decimal' | 'integer' | 'dateTime' | 'binary' | 'reference' | 'complex'

/** RFC 7643 §2.2: whether and when an attribute can be written. */
type Mutability = 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly'

/** RFC 7643 §2.2: when a response contains an attribute. */
export type Returned = 'always' | 'never' | 'default' | 'request'

/** RFC 7643 §2.2. */
type Uniqueness = 'none' | 'server' | 'global'

/** An attribute or a sub-attribute: the members of RFC 7643 §7, and the limits that this server sets on values. */
export interface Attribute {
  /** A letter, followed by letters, digits, `$`, `_` and `-`. */
  readonly name: string
  /**
   * The type of its values.
   * @defaultValue `string`. RFC 7643 §2.2 sets this default.
   */
  readonly type: AttributeType
  /**
   * Whether the attribute has a list of values.
   * @defaultValue `false`. RFC 7643 §2.2 sets this default.
   */
  readonly multiValued: boolean
  /**
   * Shown at `/Schemas`.
   * @defaultValue Empty. The name may suffice.
   */
  readonly description: string
  /**
   * Whether a resource must have the attribute.
   * @defaultValue `false`. RFC 7643 §2.2 sets this default.
   */
  readonly required: boolean
  /**
   * Whether strings are compared case-sensitively. Otherwise they are compared after `foldCase`.
   * @defaultValue `false`, and `true` for binary values and references. RFC 7643 §2.2 and §2.3 set these defaults.
   */
  readonly caseExact: boolean
  /**
   * Whether and when the attribute can be written.
   * @defaultValue `readWrite`. RFC 7643 §2.2 sets this default.
   */
  readonly mutability: Mutability
  /**
   * When a response contains the attribute.
   * @defaultValue `default`. RFC 7643 §2.2 sets this default.
   */
  readonly returned: Returned
  /**
   * Whether no two resources of a provider may have the same value; `global` is enforced in the same way. A unique
   * attribute of users must be a string of at most 200 characters or a single number.
   * @defaultValue `none`. RFC 7643 §2.2 sets this default.
   */
  readonly uniqueness: Uniqueness
  /**
   * Whether users are found and sorted by the attribute with an index, so that the number of users does not matter.
   * Only for strings and references. Not shown at `/Schemas`. The first request after an attribute becomes indexed
   * reads all users once.
   * @defaultValue `false`. An index makes each write of a user slower.
   */
  readonly indexed: boolean
  /**
   * Suggested values (RFC 7643 §7). Other values are accepted too.
   * @defaultValue None. Any value is accepted.
   */
  readonly canonicalValues: readonly string[]
  /**
   * What a reference may refer to: names of resource types, `external` or `uri`.
   * @defaultValue None. Only references have reference types.
   */
  readonly referenceTypes: readonly string[]
  /** Empty unless the type is complex. */
  readonly subAttributes: readonly Attribute[]
  /** The sub-attributes by `nameKey`. Not published. */
  readonly subAttributesByName: ReadonlyMap<string, Attribute>
  /**
   * Whether the server computes the value in every response from other values. A written value is then ignored. Not
   * shown at `/Schemas`.
   * @defaultValue `false`. Clients write most attributes.
   */
  readonly isComputed: boolean
  /**
   * The characters that a string may contain. Not shown at `/Schemas`.
   * @defaultValue `line`. A string without line breaks is safe in log lines and headers.
   */
  readonly characters: TextRule
  /**
   * The maximum length of a string. Not shown at `/Schemas`.
   * @defaultValue 1024; 2048 for references, 16384 for binary values and 200 for unique strings. A user then stays well
   * below the maximum size of a message.
   */
  readonly maxLength: number
  /**
   * The maximum number of values of a multi-valued attribute. Not shown at `/Schemas`.
   * @defaultValue 20. Real users have fewer values, and a list cannot fill the database.
   */
  readonly maxValues: number
}

/** Options of `defineAttribute`: a name, and the characteristics that differ from the defaults of RFC 7643 §2.2. */
export type AttributeOptions = Partial<Omit<Attribute, 'name' | 'subAttributes' | 'subAttributesByName'>> & {
  /** A letter, followed by letters, digits, `$`, `_` and `-` (RFC 7643 §2.1). */
  readonly name: string
  /**
   * The sub-attributes of a complex attribute, which cannot be complex themselves (RFC 7643 §2.3.8).
   * @defaultValue None. A complex attribute needs at least one; other types have none.
   */
  readonly subAttributes?: readonly AttributeOptions[]
}

/** Checks a description, which may be empty. */
export const aDescription = aString

/**
 * Defines an attribute with the defaults of RFC 7643 §2.2. The result is deeply frozen.
 * @throws TypeError when RFC 7643 does not allow the definition.
 */
export function defineAttribute(options: AttributeOptions): Attribute {
  checkOptions('defineAttribute', options, attributeOptions)
  const type = options.type ?? 'string'
  const subAttributes = (options.subAttributes ?? []).map(defineAttribute)
  checkAttribute(options, subAttributes)

  return Object.freeze({
    name: options.name,
    type,
    multiValued: options.multiValued ?? false,
    description: options.description ?? '',
    required: options.required ?? false,
    // RFC 7643 §2.3.6, §2.3.7: binary values and references are case-exact.
    caseExact: options.caseExact ?? (type === 'binary' || type === 'reference'),
    mutability: options.mutability ?? 'readWrite',
    returned: options.returned ?? 'default',
    uniqueness: options.uniqueness ?? 'none',
    indexed: options.indexed ?? false,
    canonicalValues: Object.freeze([...(options.canonicalValues ?? [])]),
    referenceTypes: Object.freeze([...(options.referenceTypes ?? [])]),
    subAttributes: Object.freeze(subAttributes),
    subAttributesByName: byName(subAttributes, options.name),
    isComputed: options.isComputed ?? false,
    characters: options.characters ?? 'line',
    maxLength: options.maxLength ?? (isUnique(options) ? maximumUniqueLength : defaultMaxLength(type)),
    maxValues: options.maxValues ?? 20,
  })
}

const aSize = wholeNumber(1)

/** `subAttributesByName` is ignored: an attribute that was already defined has it. */
const attributeOptions: OptionChecks<AttributeOptions & Partial<Pick<Attribute, 'subAttributesByName'>>> = {
  name: required(aNonEmptyString),
  type: oneOf('string', 'boolean', 'decimal', 'integer', 'dateTime', 'binary', 'reference', 'complex'),
  multiValued: aBoolean,
  description: aDescription,
  required: aBoolean,
  caseExact: aBoolean,
  mutability: oneOf('readOnly', 'readWrite', 'immutable', 'writeOnly'),
  returned: oneOf('always', 'never', 'default', 'request'),
  uniqueness: oneOf('none', 'server', 'global'),
  indexed: aBoolean,
  canonicalValues: aListOfStrings,
  referenceTypes: aListOfStrings,
  subAttributes: listOf(anObject),
  subAttributesByName: anObject,
  isComputed: aBoolean,
  characters: oneOf('line', 'lines', 'name', 'identifier'),
  maxLength: aSize,
  maxValues: aSize,
}

function checkAttribute(
  { name, type = 'string', uniqueness = 'none', indexed = false, referenceTypes = [] }: AttributeOptions,
  subAttributes: readonly Attribute[],
): void {
  // RFC 7643 §2.1; `$ref` is the only name with another first character. Names of Object.prototype are refused because other
  // programs store attributes in ordinary objects.
  if (!(attributeName.test(name) || name === '$ref') || name in Object.prototype) {
    throw new TypeError(`${name} is not a valid attribute name (RFC 7643 §2.1).`)
  }
  if ((type === 'complex') !== subAttributes.length > 0) {
    throw new TypeError(
      `${name}: a complex attribute must have sub-attributes, and no other attribute may have any (RFC 7643 §2.3.8).`,
    )
  }
  // RFC 7643 §2.3.8 with erratum 8415.
  if (subAttributes.some((sub) => sub.type === 'complex'))
    throw new TypeError(`${name}: a sub-attribute cannot be complex.`)
  if (indexed && type !== 'string' && type !== 'reference')
    throw new TypeError(`${name}: only a string or a reference can be indexed.`)
  // RFC 7643 §2.2 with erratum 6004.
  if (type === 'complex' && uniqueness !== 'none') throw new TypeError(`${name}: a complex attribute cannot be unique.`)
  if (type !== 'reference' && referenceTypes.length > 0)
    throw new TypeError(`${name}: only a reference can have referenceTypes.`)
}

const isUnique = ({ uniqueness = 'none' }: AttributeOptions): boolean => uniqueness !== 'none'

/** The number of characters of a string that an index contains. */
const maximumUniqueLength = 200

function defaultMaxLength(type: Attribute['type']): number {
  if (type === 'binary') return 16_384
  return type === 'reference' ? 2048 : 1024
}

/** RFC 7643 §2.1: ATTRNAME = ALPHA *(nameChar). */
const attributeName = /^[A-Za-z][A-Za-z0-9$_-]*$/

/** A schema (RFC 7643 §7). Validation, filters, PATCH, projection and `/Schemas` are derived from it. */
export interface Schema {
  /** Its URN. */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly attributes: readonly Attribute[]
  /** The attributes by `nameKey`. Not published. */
  readonly attributesByName: ReadonlyMap<string, Attribute>
}

/** Options of `defineSchema`. */
interface SchemaOptions {
  /** A URN, such as `urn:example:params:scim:schemas:extension:staff:2.0:User`. */
  readonly id: string
  /** A human-readable name. */
  readonly name: string
  /**
   * Shown at `/Schemas`.
   * @defaultValue Empty. The name may suffice.
   */
  readonly description?: string
  /** The attributes that the schema defines. */
  readonly attributes: readonly AttributeOptions[]
}

/**
 * Defines a schema, such as an extension for attributes that a company keeps about its employees. The result is deeply
 * frozen.
 * @throws TypeError when the id is not a URN or RFC 7643 does not allow an attribute.
 */
export function defineSchema(options: SchemaOptions): Schema {
  checkOptions('defineSchema', options, schemaOptions)
  const { id, name, description = '', attributes } = options
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

/** `attributesByName` is ignored: a schema that was already defined has it. */
const schemaOptions: OptionChecks<SchemaOptions & Partial<Pick<Schema, 'attributesByName'>>> = {
  id: required(aNonEmptyString),
  name: required(aNonEmptyString),
  description: aDescription,
  attributes: required(listOf(anObject)),
  attributesByName: anObject,
}

/** A URN (RFC 8141 §2) whose characters are all allowed in a filter. */
const schemaUrn = /^urn:[A-Za-z0-9][A-Za-z0-9-]{1,31}:[A-Za-z0-9:._-]*[A-Za-z0-9]$/i

/**
 * Indexes attributes by `nameKey`, in a Map, so that no name can refer to a member of a prototype.
 * @throws TypeError when two names differ by case only (RFC 7643 §2.1).
 */
export function byName(attributes: readonly Attribute[], owner: string): ReadonlyMap<string, Attribute> {
  const found = new Map(attributes.map((attribute) => [nameKey(attribute.name), attribute]))
  if (found.size < attributes.length)
    throw new TypeError(`${owner}: two attributes have the same name; names are case-insensitive.`)
  return found
}
