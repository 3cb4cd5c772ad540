import type { AttributeName } from './attribute-name.ts'
import { attributeLabel, findAttribute } from './find-attribute.ts'
import type { ResourceType } from './define-resource-type.ts'
import { nameKey } from './name-key.ts'
import { createToleranceCounter } from '../tolerance/tolerance-counter.ts'

/**
 * The attribute that an unknown name probably stands for, for the detail of a refusal: `emails.value` for `email`,
 * `name.givenName` for `givenName`, the full URN for an extension's attribute. A name out of our own schemas, or none.
 */
export function suggestAttribute(name: AttributeName, resourceType: ResourceType): string | undefined {
  const reading = { resourceType, tolerances: createToleranceCounter(new Set(['extension-attribute-without-urn'])) }
  const inExtension = findAttribute({ ...name, urn: undefined }, reading)
  if (inExtension !== undefined) return attributeLabel(inExtension)

  const key = nameKey(name.name)
  const plural = resourceType.attributesByName.get(`${key}s`)
  if (plural !== undefined) return plural.subAttributesByName.has('value') ? `${plural.name}.value` : plural.name

  const owner = resourceType.schema.attributes.find((attribute) => attribute.subAttributesByName.has(key))
  const sub = owner?.subAttributesByName.get(key)
  return owner === undefined || sub === undefined ? undefined : `${owner.name}.${sub.name}`
}
