import type { Attribute, AttributeOptions } from './attribute.ts'
import { byName } from './by-name.ts'
import { defineAttribute } from './define-attribute.ts'

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
