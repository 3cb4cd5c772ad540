import type { Attribute, AttributeOptions } from './attribute.ts'
import { byName } from './by-name.ts'

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
