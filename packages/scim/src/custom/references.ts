import type { JsonObject, JsonValue, ResolvedFilter } from '@mintmark/storage-interface'
import type { ProviderId } from '@mintmark/storage-interface/stores'

import { refuse } from '../error/scim-error.ts'
import type { ListedType } from '../list/type-searches.ts'
import type { RenderContext } from '../schema/projection.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { Attribute } from '../schema/schema.ts'
import { getMember, getText, isArray, isObject, withMember } from '../values/json.ts'
import { nameKey } from '../values/text.ts'

/**
 * An attribute whose `value` is the id of a resource of this server, such as the owner of a device. The server computes its `$ref`
 * (RFC 7643 §2.4).
 */
interface ReferenceAttribute {
  /** The URN of the extension that defines it. */
  readonly extension: string | undefined
  readonly attribute: Attribute
  /** The names of the resource types that it refers to. */
  readonly types: readonly string[]
}

/** Returns a resource type that the server serves, by its name in any case. */
export type FindType = (name: string) => ListedType | undefined

/** The references of the resources of one type. */
export interface References {
  /** Returns a resource with the `$ref` of each reference, for a response. */
  readonly render: (resource: JsonObject, baseUrl: string) => JsonObject
  /** Returns a resource without `$ref`, for storage. */
  readonly strip: (resource: JsonObject) => JsonObject
  /**
   * Checks the references that a write adds to a resource.
   * @throws ScimError invalidValue — reasons `reference_unknown`, `value_required`; tooMany — reason
   * `too_many_matches`.
   */
  readonly check: (written: JsonObject, before: JsonObject, context: CheckContext) => Promise<void>
}

interface CheckContext extends Omit<RenderContext, 'projection'> {
  readonly providerId: ProviderId
}

/** Creates the references of a resource type. */
export function createReferences(type: ResourceType, findType: FindType): References {
  const attributes = referenceAttributes(type)
  const located = (value: JsonObject, { types }: ReferenceAttribute, baseUrl: string): string | undefined => {
    const id = getText(value, 'value')
    const name = typeNameOf(value, types)
    return id === undefined || name === undefined ? undefined : findType(name)?.locationOf(id, baseUrl)
  }
  return {
    render: (resource, baseUrl) =>
      attributes.reduce(
        (changed, reference) =>
          mapValues(changed, reference, (value) => withMember(value, '$ref', located(value, reference, baseUrl))),
        resource,
      ),
    strip: (resource) =>
      attributes.reduce(
        (changed, reference) => mapValues(changed, reference, (value) => withMember(value, '$ref', undefined)),
        resource,
      ),
    async check(written, before, context) {
      const known = new Set(attributes.flatMap((reference) => targetsIn(before, reference)).map(targetKey))
      const added = attributes
        .flatMap((reference) => targetsIn(written, reference))
        .filter((target) => !known.has(targetKey(target)))
      const ids = new Map<string, Set<string>>()
      for (const { type: name, id } of added) ids.set(name, (ids.get(name) ?? new Set()).add(id))
      for (const [name, idsOfType] of ids) await requireResources([...idsOfType], findType(name), context)
    },
  }
}

/** Returns the attributes with `value` and `$ref` whose `$ref` names resource types. */
export function referenceAttributes(type: ResourceType): readonly ReferenceAttribute[] {
  const owners = [
    [undefined, type.schema.attributes] as const,
    ...type.extensions.map(({ schema }) => [schema.id, schema.attributes] as const),
  ]
  return owners.flatMap(([extension, attributes]) =>
    attributes.flatMap((attribute) => {
      const types = attribute.subAttributesByName.get('$ref')?.referenceTypes ?? []
      const isReference =
        attribute.subAttributesByName.has('value') &&
        types.length > 0 &&
        !types.some((each) => otherReferenceTypes.has(each))
      return isReference ? [{ extension, attribute, types }] : []
    }),
  )
}

/** The values of `referenceTypes` that are not names of resource types (RFC 7643 §7). */
const otherReferenceTypes: ReadonlySet<string> = new Set(['external', 'uri'])

/**
 * Returns the type that a reference names. With several types, the sub-attribute `type` of the value names one of them.
 */
function typeNameOf(value: JsonObject, types: readonly string[]): string | undefined {
  const [only, another] = types
  if (another === undefined) return only
  const named = nameKey(getText(value, 'type') ?? '')
  return types.find((type) => nameKey(type) === named)
}

interface Target {
  readonly type: string
  readonly id: string
}

const targetKey = ({ type, id }: Target): string => `${type} ${id}`

function targetsIn(resource: JsonObject, { extension, attribute, types }: ReferenceAttribute): readonly Target[] {
  const found = extension === undefined ? resource : getMember(resource, extension)
  const attributeValue = isObject(found) ? getMember(found, attribute.name) : undefined
  const values = isArray(attributeValue) ? attributeValue : attributeValue === undefined ? [] : [attributeValue]
  return values.map((value) => {
    const id = isObject(value) ? getText(value, 'value') : undefined
    // RFC 7643 §2.4: `value` identifies the resource; the server computes `$ref`.
    if (!isObject(value) || id === undefined) throw refuse('value_required', { attribute: `${attribute.name}.value` })
    const type = typeNameOf(value, types)
    // RFC 7643 §2.4: `type` says which of several types the resource has.
    if (type === undefined) throw refuse('value_required', { attribute: `${attribute.name}.type` })
    return { type, id }
  })
}

/** Requires every id to belong to a resource. Looks up many ids in one query, which uses the index of ids. */
async function requireResources(
  ids: readonly string[],
  type: ListedType | undefined,
  { providerId, ...renderContext }: CheckContext,
): Promise<void> {
  const areKnown = async (batch: readonly string[]): Promise<boolean> => {
    const outcome = await type?.list(
      { providerId, filter: anyOf(batch), sort: undefined, page: { kind: 'index', offset: 0, limit: 0 } },
      { ...renderContext, projection: type.resourceType.defaultProjection },
    )
    // RFC 7644 §3.12 tooMany.
    if (outcome?.outcome === 'tooMany') throw refuse('too_many_matches')
    return outcome?.total === batch.length
  }
  for (let from = 0; from < ids.length; from += idsPerQuery) {
    const batch = ids.slice(from, from + idsPerQuery)
    // RFC 7643 §2.3.7: the server enforces that a reference names a resource of this provider.
    if (!(await areKnown(batch))) throw refuse('reference_unknown', { value: await firstUnknown(batch, areKnown) })
  }
}

/** Finds one unknown id by halves. */
async function firstUnknown(
  ids: readonly string[],
  areKnown: (ids: readonly string[]) => Promise<boolean>,
): Promise<string | undefined> {
  if (ids.length <= 1) return ids[0]
  const half = ids.slice(0, ids.length / 2)
  return firstUnknown((await areKnown(half)) ? ids.slice(half.length) : half, areKnown)
}

const idsPerQuery = 100

function anyOf(ids: readonly string[]): ResolvedFilter {
  const attribute = { extension: undefined, name: 'id', subName: undefined, multiValued: false }
  const operands = ids.map((value) => ({ kind: 'text', attribute, operator: 'eq', value }) as const)
  const [only] = operands
  return operands.length === 1 && only !== undefined ? only : { kind: 'or', operands }
}

/** Returns a resource with each value of an attribute replaced. */
function mapValues(
  resource: JsonObject,
  { extension, attribute: { name } }: ReferenceAttribute,
  change: (value: JsonObject) => JsonObject,
): JsonObject {
  const found = extension === undefined ? resource : getMember(resource, extension)
  const attributeValue = isObject(found) ? getMember(found, name) : undefined
  if (!isObject(found) || attributeValue === undefined) return resource
  const changeOne = (value: JsonValue): JsonValue => (isObject(value) ? change(value) : value)
  const changed = withMember(
    found,
    name,
    isArray(attributeValue) ? attributeValue.map(changeOne) : changeOne(attributeValue),
  )
  return extension === undefined ? changed : withMember(resource, extension, changed)
}
