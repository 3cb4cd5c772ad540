import { type Pieces, runAtOnce } from '@mintmark/internal'
import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { refuse } from '../error/scim-error.ts'
import type { ResourceType } from '../schema/resource-type.ts'
import type { Attribute } from '../schema/schema.ts'
import { keepImmutableParts, replaceElementsInPieces } from './element-list.ts'
import { getMember, isArray, isObject, sameValueInPieces, toObject } from '../values/json.ts'
import { completeResource } from './resource.ts'

/** The outcome of a PUT. */
interface ReplacedResource {
  readonly resource: JsonObject
  /** False when the resource is unchanged: then `resource` is the same object. */
  readonly changed: boolean
}

/**
 * Replaces a resource as PUT does (RFC 7644 §3.5.1): read-only attributes stay, omitted attributes are cleared,
 * immutable attributes must not differ.
 * @param replacement the result of `parseResource`.
 * @throws ScimError mutability — reason `attribute_immutable`.
 */
export const replaceResource = (
  current: JsonObject,
  replacement: JsonObject,
  resourceType: ResourceType,
): ReplacedResource => runAtOnce(replaceResourceInPieces(current, replacement, resourceType))

/** The same as `replaceResource`, in pieces: a group may have a hundred thousand members. */
export function* replaceResourceInPieces(
  current: JsonObject,
  replacement: JsonObject,
  resourceType: ResourceType,
): Pieces<ReplacedResource> {
  const members = Object.entries(yield* replaceMembers(resourceType.attributes, current, replacement))
  const extensions: (readonly [string, JsonValue | undefined])[] = []
  for (const { schema } of resourceType.extensions) {
    const [before, after] = [objectAt(current, schema.id), objectAt(replacement, schema.id)]
    const extension = yield* replaceMembers(schema.attributes, before, after)
    extensions.push([schema.id, Object.keys(extension).length === 0 ? undefined : extension])
  }
  const replaced = toObject([...members, ...extensions])
  const resource = completeResource(replaced, resourceType)
  return (yield* sameValueInPieces(current, resource))
    ? { resource: current, changed: false }
    : { resource, changed: true }
}

function* replaceMembers(
  attributes: readonly Attribute[],
  current: JsonObject,
  replacement: JsonObject,
): Pieces<JsonObject> {
  const members: (readonly [string, JsonValue | undefined])[] = []
  for (const attribute of attributes) {
    const { name } = attribute
    members.push([name, yield* replaceMember(attribute, getMember(current, name), getMember(replacement, name))])
  }
  return toObject(members)
}

function* replaceMember(
  attribute: Attribute,
  current: JsonValue | undefined,
  replacement: JsonValue | undefined,
): Pieces<JsonValue | undefined> {
  if (attribute.mutability === 'readOnly') return current
  const next = replacement === undefined ? undefined : yield* replaceValue(attribute, current, replacement)
  if (attribute.mutability !== 'immutable' || current === undefined) return next
  // RFC 7644 §3.5.1: the given value of an immutable attribute must match the current one.
  if (next !== undefined && !(yield* sameValueInPieces(current, next)))
    throw refuse('attribute_immutable', { attribute: attribute.name })
  return current
}

/** Returns the new value, with the immutable sub-attributes of the current one. */
function* replaceValue(
  attribute: Attribute,
  current: JsonValue | undefined,
  replacement: JsonValue,
): Pieces<JsonValue> {
  return isArray(current) && isArray(replacement)
    ? yield* replaceElementsInPieces(attribute, current, replacement)
    : keepImmutableParts(attribute, current, replacement)
}

function objectAt(owner: JsonObject, name: string): JsonObject {
  const value = getMember(owner, name)
  return isObject(value) ? value : {}
}
