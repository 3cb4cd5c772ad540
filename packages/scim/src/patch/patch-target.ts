import type { JsonObject, ResolvedFilter } from '@mintmark/storage-interface'

import type { Attribute } from '../schema/attribute.ts'
import type { Schema } from '../schema/define-schema.ts'

/** An attribute that a path leads to, or values of it. */
export interface AttributeTarget {
  readonly kind: 'attribute'
  /** The URN of the extension that it belongs to. */
  readonly extension: string | undefined
  readonly attribute: Attribute
  /** Which of its values are meant; undefined for all. */
  readonly where: ElementSelection | undefined
  readonly subAttribute: Attribute | undefined
}

/** The values of a multi-valued attribute that a filter selects. */
export interface ElementSelection {
  readonly filter: ResolvedFilter
  /** A value that the filter describes, when it does so completely: `type eq "work"` is {"type":"work"}. */
  readonly seed: () => JsonObject | undefined
}

/** What a path leads to (RFC 7644 §3.5.2): an attribute, or the attributes of a whole schema. */
export type PatchTarget = AttributeTarget | { readonly kind: 'schema'; readonly schema: Schema }
