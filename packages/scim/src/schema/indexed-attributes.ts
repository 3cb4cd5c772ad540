import type { ScimStorage } from '@mintmark/storage-interface'
import type { IndexedAttribute } from '@mintmark/storage-interface/stores'

import type { ResourceType } from './resource-type.ts'
import type { Attribute } from './schema.ts'

/**
 * Returns the storage, which first creates the indexes of the host's attributes: before the first list or write of a
 * user. A failure, such as two users with the same unique value, fails that request; the next request tries again.
 * @throws TypeError when an attribute cannot be unique.
 */
export function withIndexedAttributes(storage: ScimStorage, userType: ResourceType): ScimStorage {
  const attributes = indexedAttributesOf(userType)
  if (attributes.length === 0) return storage
  const users = storage.provisionedUsers
  let indexing: Promise<void> | undefined

  const isIndexed = async (): Promise<void> => {
    indexing ??= users.indexAttributes(attributes)
    try {
      await indexing
    } catch (error) {
      indexing = undefined
      throw error
    }
  }
  const afterwards =
    <Argument, Result>(method: (argument: Argument) => Promise<Result>) =>
    async (argument: Argument): Promise<Result> => {
      await isIndexed()
      return method(argument)
    }
  const provisionedUsers = withMembers(users, {
    insert: afterwards((user) => users.insert(user)),
    compareAndSwap: afterwards((change) => users.compareAndSwap(change)),
    adopt: afterwards((change) => users.adopt(change)),
    list: afterwards((query) => users.list(query)),
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
function indexedAttributesOf({ schema, extensions }: ResourceType): readonly IndexedAttribute[] {
  const own = schema.attributes.filter(({ name }) => name !== 'userName')
  return [
    ...own.flatMap((attribute) => indexesOf(attribute, undefined)),
    ...extensions.flatMap((extension) =>
      extension.schema.attributes.flatMap((attribute) => indexesOf(attribute, extension.schema.id)),
    ),
  ]
}

/**
 * Refuses indexed and unique attributes of groups, because the server supports them only for users, and the published
 * schema would promise them.
 * @throws TypeError when an attribute of groups is `indexed` or unique.
 */
export function refuseIndexesOfGroups({ schema, extensions }: ResourceType): void {
  const attributes = [schema, ...extensions.map((extension) => extension.schema)].flatMap((each) => each.attributes)
  const refused = attributes
    .flatMap((attribute) => [attribute, ...attribute.subAttributes])
    .find(({ indexed, uniqueness }) => indexed || uniqueness !== 'none')
  if (refused !== undefined)
    throw new TypeError(
      `${refused.name}: an attribute of groups can be neither indexed nor unique. For unique names, set uniqueGroupNames.`,
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
  place: Pick<IndexedAttribute, 'attribute' | 'elementPart'>,
): readonly IndexedAttribute[] {
  const isUnique = uniqueness !== 'none'
  if (!indexed && !isUnique) return []
  const isText = type === 'string' || type === 'reference'
  const hasOneValue = !place.attribute.multiValued && place.elementPart === undefined
  const isNumber = type === 'integer' || type === 'decimal' || type === 'dateTime'
  if (isUnique && !(isText && maxLength <= 200) && !(isNumber && hasOneValue))
    throw new TypeError(`${name}: a unique attribute must be a string of at most 200 characters or a single number.`)
  return [{ ...place, isText, isUnique }]
}
