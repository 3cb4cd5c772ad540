import type { FilterAttribute } from '@mintmark/storage-interface'

import type { Attribute } from '../schema/attribute.ts'
import type { ResourceType } from '../schema/define-resource-type.ts'
import { attributeLabel, type FoundAttribute } from '../schema/find-attribute.ts'
import { nameKey } from '../schema/name-key.ts'

/** The attribute of a type that a filter tests, or undefined when the type has none: then no resource of it has a value. */
export function attributeOf(target: FilterAttribute, resourceType: ResourceType): FoundAttribute | undefined {
  const { extension, name, subName } = target
  const owner = extension === undefined ? resourceType : resourceType.extensionsByUrn.get(nameKey(extension))
  const attribute = owner?.attributesByName.get(nameKey(name))
  if (attribute === undefined) return undefined
  const subAttribute = subName === undefined ? undefined : attribute.subAttributesByName.get(nameKey(subName))
  return { extension, attribute, subAttribute }
}

/**
 * Whether storage has the values of an attribute, to filter and to sort by: what identity providers write, and what `ListQuery`
 * names. Everything else that is read-only is made when a resource is shown.
 */
export function isStored(found: FoundAttribute): boolean {
  const isMade = isReadOnly(found.attribute) || (found.subAttribute !== undefined && isReadOnly(found.subAttribute))
  return !isMade || knownToStorage.has(attributeLabel(found))
}

const isReadOnly = ({ mutability }: Attribute): boolean => mutability === 'readOnly'

const knownToStorage: ReadonlySet<string> = new Set([
  'schemas',
  'id',
  'meta.created',
  'meta.lastModified',
  'groups',
  'groups.value',
])
