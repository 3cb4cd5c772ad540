import type { ResourceType } from '../schema/define-resource-type.ts'
import { nameKey } from '../schema/name-key.ts'

/**
 * A type as a search over several types reads names by it: with the attributes of the others behind its own, as names that one
 * of the types has are not unknown (RFC 7644 §3.4.2.1).
 */
export function amongTypes(type: ResourceType, types: readonly ResourceType[]): ResourceType {
  if (types.length === 1) return type
  const schemas = types.flatMap(({ schema, extensionsByUrn }) => [
    [nameKey(schema.id), schema] as const,
    ...extensionsByUrn,
  ])
  return {
    ...type,
    attributesByName: new Map([
      ...types.flatMap(({ attributesByName }) => [...attributesByName]),
      ...type.attributesByName,
    ]),
    extensionsByUrn: new Map([...schemas, ...type.extensionsByUrn]),
  }
}
