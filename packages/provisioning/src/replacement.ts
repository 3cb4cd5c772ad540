import { isJsonObject } from '@mintmark/internal'
import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

/**
 * Returns a resource of a partner with the operations of one of our PATCH requests applied, for the body of a PUT (RFC 7644 §3.5.1). It
 * keeps what the partner has otherwise.
 */
export function applyPatch({ meta: _meta, ...resource }: JsonObject, patch: JsonObject): JsonObject {
  return listOf(patch['Operations']).reduce<JsonObject>(applyOperation, resource)
}

/** Applies an operation with one of the paths that `difference.ts` and `plan.ts` write. */
function applyOperation(resource: JsonObject, operation: JsonValue): JsonObject {
  if (!isJsonObject(operation)) return resource
  const { op, path, value } = operation
  const name = typeof path === 'string' ? path : ''
  const member = removedMember(name)
  if (member !== undefined)
    return { ...resource, members: listOf(resource['members']).filter((each) => !isMember(each, member)) }
  if (op === 'add') return { ...resource, [name]: [...listOf(resource[name]), ...listOf(value)] }
  // RFC 7644 §3.10: the URN of an extension comes before the attribute.
  const end = name.lastIndexOf(':')
  if (end < 0) return assigned(resource, name, value)
  const urn = name.slice(0, end)
  const found = resource[urn]
  const extension = assigned(found !== undefined && isJsonObject(found) ? found : {}, name.slice(end + 1), value)
  const schemas = listOf(resource['schemas'])
  return { ...resource, [urn]: extension, schemas: schemas.includes(urn) ? schemas : [...schemas, urn] }
}

/** Returns the identifier in the path `members[value eq "…"]`. */
const removedMember = (path: string): JsonValue | undefined => {
  const [, quoted] = /^members\[value eq (".*")\]$/.exec(path) ?? []
  return quoted === undefined ? undefined : (JSON.parse(quoted) as JsonValue)
}

const isMember = (each: JsonValue, id: JsonValue): boolean => isJsonObject(each) && each['value'] === id

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (isList(value) ? value : [])

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value)

function assigned(owner: JsonObject, name: string, value: JsonValue | undefined): JsonObject {
  const { [name]: _removed, ...others } = owner
  return value === undefined ? others : { ...others, [name]: value }
}
