import type { TextRule } from '../text/text-rule.ts'

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
