import type { TextRule } from '../text/text-rule.ts'

/** RFC 7643 §2.3. */
export type AttributeType = 'string' | 'boolean' | 'decimal' | 'integer' | 'dateTime' | 'binary' | 'reference' | 'complex'

/** RFC 7643 §2.2: who may write it, and when. */
export type Mutability = 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly'

/** RFC 7643 §2.2: when it is part of an answer. */
export type Returned = 'always' | 'never' | 'default' | 'request'

/** RFC 7643 §2.2. */
export type Uniqueness = 'none' | 'server' | 'global'

/** An attribute or a sub-attribute: the members of RFC 7643 §7, and the bounds that this server puts on values. */
export interface Attribute {
  readonly name: string
  readonly type: AttributeType
  readonly multiValued: boolean
  readonly description: string
  readonly required: boolean
  /** Whether texts are compared as they are; otherwise in the form that `foldCase` gives them. */
  readonly caseExact: boolean
  readonly mutability: Mutability
  readonly returned: Returned
  readonly uniqueness: Uniqueness
  /** Suggestions (RFC 7643 §7); other values are admitted. */
  readonly canonicalValues: readonly string[]
  /** For references: names of resource types, `external` or `uri`. */
  readonly referenceTypes: readonly string[]
  /** Empty unless the type is complex. */
  readonly subAttributes: readonly Attribute[]
  /** The same by `nameKey`. Not published. */
  readonly subAttributesByName: ReadonlyMap<string, Attribute>
  /** Which characters a text may hold. Not published. */
  readonly characters: TextRule
  /** The most characters of a text. Not published. */
  readonly maxLength: number
  /** The most values of a multi-valued attribute. Not published. */
  readonly maxValues: number
}

/** What `defineAttribute` takes: a name, and whatever differs from the defaults of RFC 7643 §2.2. */
export type AttributeOptions = Partial<Omit<Attribute, 'name' | 'subAttributes' | 'subAttributesByName'>> & {
  readonly name: string
  readonly subAttributes?: readonly AttributeOptions[]
}
