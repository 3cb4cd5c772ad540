import { parseProjection, type RequestedAttributes, splitAttributeNames } from '../resource/project-resource.ts'
import type { Projection } from '../schema/projection.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { Query } from './read-query.ts'

/**
 * Reads the projection that a query asks for (RFC 7644 §3.9).
 * @throws ScimError invalidSyntax — reasons `projection_both`, `projection_too_many`.
 */
export const readProjection = (query: Query, resourceType: ResourceType): Projection =>
  parseProjection(namedAttributes(query), resourceType)

/** Reads the attribute names of a query. */
export function namedAttributes(query: Query): RequestedAttributes {
  const listed = (name: string): readonly string[] | undefined => {
    const names = query.get(name)
    return names === undefined ? undefined : splitAttributeNames(names)
  }
  return { attributes: listed('attributes'), excludedAttributes: listed('excludedattributes') }
}
