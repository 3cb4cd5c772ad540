import { refusal } from '../error/refusal.ts'
import { parseAttributeName } from '../schema/attribute-name.ts'
import type { Attribute } from '../schema/attribute.ts'
import type { ResourceType } from '../schema/define-resource-type.ts'
import { findAttribute } from '../schema/find-attribute.ts'
import { findSchema } from '../schema/find-schema.ts'
import { nameKey } from '../schema/name-key.ts'
import { projectionOf, type Projection } from '../schema/shown-attributes.ts'
import { createParseContext } from '../tolerance/parse-context.ts'

/** `attributes` and `excludedAttributes`, cut at their commas. */
export interface RequestedAttributes {
  readonly attributes?: readonly string[] | undefined
  readonly excludedAttributes?: readonly string[] | undefined
}

/**
 * Reads which attributes an answer shows; once for a request, however many resources it answers. Names that do not exist
 * are ignored.
 * @throws ScimError invalidSyntax — reasons `projection_both`, `projection_too_many`.
 */
export function parseProjection(
  { attributes, excludedAttributes }: RequestedAttributes,
  resourceType: ResourceType,
): Projection {
  // RFC 7644 §3.9: they exclude each other.
  if (attributes !== undefined && excludedAttributes !== undefined) throw refusal('projection_both')
  const names = attributes ?? excludedAttributes ?? []
  // RFC 7644 §3.12: more names than any schema has are not read.
  if (names.length > maximumNames) throw refusal('projection_too_many')
  if (names.length === 0) return resourceType.shownByDefault

  const found = names.flatMap((name) => findNamed(name, resourceType))
  return projectionOf(resourceType, {
    kind: attributes === undefined ? 'without' : 'only',
    named: new Set(found.map(({ attribute, subAttribute }) => subAttribute ?? attribute)),
    partly: new Set(found.filter(({ subAttribute }) => subAttribute !== undefined).map(({ attribute }) => attribute)),
  })
}

interface Named {
  readonly attribute: Attribute
  readonly subAttribute: Attribute | undefined
}

function findNamed(text: string, resourceType: ResourceType): readonly Named[] {
  const reading = createParseContext(resourceType, new Set())
  // Entra puts a value filter here: emails[type eq "work"] is taken for emails.
  const [trimmed = ''] = text.trim().split('[', 1)
  const schema = trimmed.length > maximumLength ? undefined : findSchema(trimmed, reading)
  if (schema !== undefined) return schema.attributes.map((attribute) => ({ attribute, subAttribute: undefined }))
  const name = trimmed.length > maximumLength ? undefined : parseAttributeName(trimmed)
  const found = name === undefined ? undefined : findAttribute(name, reading)
  return found === undefined ? [] : [found]
}

const maximumNames = 200
const maximumLength = 400

/** The names of `attributes=userName,emails` (RFC 7644 §3.9), at most so many that one too many is seen. */
export const splitAttributeNames = (list: string): readonly string[] =>
  list
    .split(',', maximumNames + 1)
    .map((name) => name.trim())
    .filter((name) => nameKey(name) !== '')
