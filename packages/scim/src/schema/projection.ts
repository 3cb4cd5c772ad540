import type { Turns } from '@mintmark/internal'
import type { JsonText } from '@mintmark/storage-interface/stores'

import type { Attribute, Schema } from './schema.ts'

/** The attributes that a response shows, in the order of the schemas. Computed once per request. */
export interface Projection {
  readonly attributes: readonly ProjectedAttribute[]
  /** The attributes of each extension, by URN. */
  readonly extensions: readonly { readonly urn: string; readonly attributes: readonly ProjectedAttribute[] }[]
}

/** An attribute that a response shows. */
export interface ProjectedAttribute {
  readonly name: string
  /** The sub-attributes shown of a complex attribute; undefined for other attributes, which are shown unchanged. */
  readonly parts: readonly ProjectedAttribute[] | undefined
}

/** How a response renders resources. */
export interface RenderContext {
  readonly projection: Projection
  /** The provider's SCIM tenant URL. */
  readonly baseUrl: string
  /** Waits until a response of this size fits in memory. Called before the response is made. */
  readonly waitForRoom: (bytes: number) => Promise<void>
  readonly turns: Turns
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal | undefined
}

/** The JSON of a resource: as text, or in UTF-8 if it is large. */
export type RenderedResource = JsonText | Uint8Array

/** The attributes that a request names, and whether to include or exclude them (RFC 7644 §3.9). */
interface AttributeSelection {
  readonly kind: 'default' | 'only' | 'without'
  /** The named attributes and sub-attributes; all attributes of a named schema. */
  readonly named: ReadonlySet<Attribute>
  /** Attributes with named sub-attributes. */
  readonly partly: ReadonlySet<Attribute>
  /** Attributes and sub-attributes that the request wrote. */
  readonly written: ReadonlySet<Attribute>
}

/** The selection of a request that names no attributes, and of the sub-attributes of a named attribute. */
export const defaultSelection: AttributeSelection = {
  kind: 'default',
  named: new Set(),
  partly: new Set(),
  written: new Set(),
}

interface ProjectedType {
  readonly attributes: readonly Attribute[]
  readonly extensions: readonly { readonly schema: Schema }[]
}

/**
 * Computes the projection of a resource type by `returned` (RFC 7643 §7): `always` cannot be excluded, `never` cannot be
 * requested, `request` must be requested or written.
 */
export const createProjection = (
  { attributes, extensions }: ProjectedType,
  selection: AttributeSelection,
): Projection => ({
  attributes: projectAttributes(attributes, selection),
  extensions: extensions.map(({ schema }) => ({
    urn: schema.id,
    attributes: projectAttributes(schema.attributes, selection),
  })),
})

const projectAttributes = (
  attributes: readonly Attribute[],
  selection: AttributeSelection,
): readonly ProjectedAttribute[] =>
  attributes.flatMap((attribute) => {
    const nested = nestedSelection(attribute, selection)
    if (nested === undefined) return []
    return [
      {
        name: attribute.name,
        parts: attribute.type === 'complex' ? projectAttributes(attribute.subAttributes, nested) : undefined,
      },
    ]
  })

/**
 * Returns the selection for the sub-attributes of an attribute; undefined when it is not shown (RFC 7643 §7 returned).
 */
function nestedSelection(attribute: Attribute, selection: AttributeSelection): AttributeSelection | undefined {
  const { kind, named, partly } = selection
  if (attribute.returned === 'never') return undefined
  if (kind === 'only') {
    if (named.has(attribute)) return defaultSelection
    if (partly.has(attribute)) return selection
    return attribute.returned === 'always' ? defaultSelection : undefined
  }
  if (attribute.returned === 'request') return selection.written.has(attribute) ? selection : undefined
  return attribute.returned === 'default' && named.has(attribute) ? undefined : selection
}
