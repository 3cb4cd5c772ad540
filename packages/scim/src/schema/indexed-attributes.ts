import { cacheLatest } from '@mintmark/internal'
import type { ScimStorage } from '@mintmark/storage-interface'
import type { IndexedAttribute } from '@mintmark/storage-interface/stores'

import type { ResourceType } from './resource-type.ts'
import type { Attribute } from './schema.ts'

/**
 * Returns a storage that creates the indexes of the host's attributes before the first list or write of a user. A
 * failure, such as two users with the same unique value, fails that request; the next request tries again.
 * @throws TypeError when an attribute cannot be unique.
 */
export function withIndexedAttributes(storage: ScimStorage, userType: ResourceType): ScimStorage {
  const attributes = indexedAttributesOf(userType)
  if (attributes.length === 0) return storage
  const users = storage.provisionedUsers
  const createIndexes = cacheLatest(() => users.indexAttributes(attributes))
  const afterIndexing =
    <Argument, Result>(method: (argument: Argument) => Promise<Result>) =>
    async (argument: Argument): Promise<Result> => {
      await createIndexes()
      return method(argument)
    }
  const provisionedUsers = withMembers(users, {
    insert: afterIndexing((user) => users.insert(user)),
    compareAndSwap: afterIndexing((change) => users.compareAndSwap(change)),
    adopt: afterIndexing((change) => users.adopt(change)),
    list: afterIndexing((query) => users.list(query)),
  })
  return withMembers(storage, { provisionedUsers })
}

/**
 * Returns the object with some members replaced. A copy would lose the methods of a host's class. A proxy keeps them:
 * they run on the object itself and may use its private fields.
 */
function withMembers<Store extends object>(store: Store, members: Partial<Store>): Store {
  // The target is `members` and not `store`: a proxy of a frozen object must return the members of that object.
  return new Proxy(members as Store, {
    get(own, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name) as unknown
      const value: unknown = Reflect.get(store, name)
      return typeof value === 'function' ? (value.bind(store) as unknown) : value
    },
  })
}

/** Returns the attributes that the host declared `indexed` or unique. */
export function indexedAttributesOf({ schema, extensions }: ResourceType): readonly IndexedAttribute[] {
  const coreAttributes = schema.attributes.filter(({ name }) => name !== 'userName')
  return [
    ...coreAttributes.flatMap((attribute) => indexesOf(attribute, undefined)),
    ...extensions.flatMap((extension) =>
      extension.schema.attributes.flatMap((attribute) => indexesOf(attribute, extension.schema.id)),
    ),
  ]
}

/**
 * Refuses indexed and unique attributes of groups. The server does not support them, but the published schema would
 * list them.
 * @throws TypeError when an attribute of groups is `indexed` or unique.
 */
export function refuseIndexesOfGroups({ schema, extensions }: ResourceType): void {
  const attributes = [schema, ...extensions.map((extension) => extension.schema)].flatMap((each) => each.attributes)
  const unsupported = attributes
    .flatMap((attribute) => [attribute, ...attribute.subAttributes])
    .find(({ indexed, uniqueness }) => indexed || uniqueness !== 'none')
  if (unsupported !== undefined)
    throw new TypeError(
      `${unsupported.name}: an attribute of groups can be neither indexed nor unique. For unique names, set uniqueGroupNames.`,
    )
}

function indexesOf(attribute: Attribute, extension: string | undefined): readonly IndexedAttribute[] {
  const { name, type, multiValued, subAttributes } = attribute
  const path = { extension, name, subName: undefined, multiValued }
  if (type !== 'complex') return indexOf(attribute, { attribute: path, elementPart: undefined })
  return subAttributes.flatMap((part) =>
    multiValued
      ? indexOf(part, { attribute: path, elementPart: part.name })
      : indexOf(part, {
          attribute: { ...path, subName: part.name, multiValued: part.multiValued },
          elementPart: undefined,
        }),
  )
}

function indexOf(
  { name, type, indexed, uniqueness, maxLength }: Attribute,
  position: Pick<IndexedAttribute, 'attribute' | 'elementPart'>,
): readonly IndexedAttribute[] {
  const isUnique = uniqueness !== 'none'
  if (!indexed && !isUnique) return []
  const isText = type === 'string' || type === 'reference'
  const hasOneValue = !position.attribute.multiValued && position.elementPart === undefined
  const isNumber = type === 'integer' || type === 'decimal' || type === 'dateTime'
  if (isUnique && !(isText && maxLength <= 200) && !(isNumber && hasOneValue))
    throw new TypeError(`${name}: a unique attribute must be a string of at most 200 characters or a single number.`)
  return [{ ...position, isText, isUnique }]
}
