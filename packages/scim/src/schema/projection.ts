import type { Attribute, Schema } from './schema.ts'

/** What an answer shows of a resource, in the order in which it shows it: worked out once, however many resources it is for. */
export interface Projection {
  readonly attributes: readonly ProjectedAttribute[]
  /** Of each extension, by its URN. */
  readonly extensions: readonly { readonly urn: string; readonly attributes: readonly ProjectedAttribute[] }[]
}

/** An attribute that is shown. */
export interface ProjectedAttribute {
  readonly name: string
  /** What is shown of a complex attribute; undefined for all others, which are shown as they are. */
  readonly parts: readonly ProjectedAttribute[] | undefined
}

/** How the resources of an answer are shown. */
export interface RenderContext {
  readonly projection: Projection
  /** The provider's SCIM Tenant URL. */
  readonly baseUrl: string
}

/** Which attributes somebody has named, and what for (RFC 7644 §3.9). */
interface AttributeSelection {
  readonly kind: 'default' | 'only' | 'without'
  /** Attributes and sub-attributes that were named; a schema's attributes when the schema was named. */
  readonly named: ReadonlySet<Attribute>
  /** Attributes of which sub-attributes were named. */
  readonly partly: ReadonlySet<Attribute>
}

/** What is shown to somebody who has named nothing, and below an attribute that was named. */
export const defaultSelection: AttributeSelection = { kind: 'default', named: new Set(), partly: new Set() }

interface ProjectedType {
  readonly attributes: readonly Attribute[]
  readonly extensions: readonly { readonly schema: Schema }[]
}

/**
 * What a choice shows of a type. `returned` decides (RFC 7643 §7): `always` cannot be left out, `never` cannot be asked for,
 * `request` has to be.
 */
export const createProjection = (
  { attributes, extensions }: ProjectedType,
  choice: AttributeSelection,
): Projection => ({
  attributes: projectAttributes(attributes, choice),
  extensions: extensions.map(({ schema }) => ({
    urn: schema.id,
    attributes: projectAttributes(schema.attributes, choice),
  })),
})

const projectAttributes = (
  attributes: readonly Attribute[],
  choice: AttributeSelection,
): readonly ProjectedAttribute[] =>
  attributes.flatMap((attribute) => {
    const inside = nestedSelection(attribute, choice)
    if (inside === undefined) return []
    return [
      {
        name: attribute.name,
        parts: attribute.type === 'complex' ? projectAttributes(attribute.subAttributes, inside) : undefined,
      },
    ]
  })

/** How the parts of an attribute are chosen, or undefined when the attribute is not shown (RFC 7643 §7 returned). */
function nestedSelection(attribute: Attribute, choice: AttributeSelection): AttributeSelection | undefined {
  const { kind, named, partly } = choice
  if (attribute.returned === 'never') return undefined
  if (kind === 'only') {
    if (named.has(attribute)) return defaultSelection
    if (partly.has(attribute)) return choice
    return attribute.returned === 'always' ? defaultSelection : undefined
  }
  if (attribute.returned === 'request') return undefined
  return attribute.returned === 'default' && named.has(attribute) ? undefined : choice
}
