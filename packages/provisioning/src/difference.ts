import { isJsonObject } from '@mintmark/internal'
import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import type { ChangeRequest, Endpoint, RemoteResource } from './partner.ts'
import { versionOf } from './resource-version.ts'

const patchOperation = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** One operation of a PATCH (RFC 7644 §3.5.2). */
interface Operation {
  readonly op: 'add' | 'replace' | 'remove'
  readonly path: string
  readonly value?: JsonValue
}

/**
 * Returns the operations that bring the partner's resource to the desired attributes. Attributes that are not in `managed`
 * belong to the partner.
 * @param managed names, and URNs of extensions, that this server sets or removes.
 */
export function differences(desired: JsonObject, remote: JsonObject, managed: readonly string[]): readonly Operation[] {
  return managed.flatMap((name): readonly Operation[] => {
    const wanted = desired[name]
    const found = remote[name]
    // RFC 7644 §3.10: the URN of an extension comes before the attribute.
    if (name.includes(':')) return extensionDifferences(name, { wanted, found })
    return attributeDifference(name, { wanted, found })
  })
}

function extensionDifferences(
  urn: string,
  { wanted, found }: { readonly wanted: JsonValue | undefined; readonly found: JsonValue | undefined },
): readonly Operation[] {
  if (!isJsonObject(wanted ?? null)) return []
  const own = wanted as JsonObject
  const theirs = isJsonObject(found ?? null) ? (found as JsonObject) : {}
  return Object.keys(own).flatMap((name) =>
    attributeDifference(`${urn}:${name}`, { wanted: own[name], found: theirs[name] }),
  )
}

function attributeDifference(
  path: string,
  { wanted, found }: { readonly wanted: JsonValue | undefined; readonly found: JsonValue | undefined },
): readonly Operation[] {
  if (isEmpty(wanted)) return isEmpty(found) ? [] : [{ op: 'remove', path }]
  if (wanted === undefined || contains(found, wanted)) return []
  return [{ op: 'replace', path, value: wanted }]
}

/** RFC 7643 §2.5: null, an empty list and an absent attribute are the same. */
const isEmpty = (value: JsonValue | undefined): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

/**
 * Whether the partner has the value. It may add sub-attributes of its own, reorder lists, and write booleans as strings.
 */
function contains(found: JsonValue | undefined, wanted: JsonValue): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(found) &&
      found.length === wanted.length &&
      wanted.every((element: JsonValue) => found.some((other: JsonValue) => contains(other, element)))
    )
  }
  if (isJsonObject(wanted))
    return (
      found !== undefined &&
      isJsonObject(found) &&
      Object.entries(wanted).every(([name, value]) => contains(found[name], value))
    )
  if (typeof wanted === 'boolean') return isBoolean(found, wanted)
  return found === wanted
}

/** Whether the value is this boolean. Some services write booleans as strings, or leave out what is false. */
export const isBoolean = (found: JsonValue | undefined, wanted: boolean): boolean =>
  found === wanted ||
  (typeof found === 'string' && found.toLowerCase() === String(wanted)) ||
  (found === undefined && !wanted)

/** Returns the PATCH with these operations; undefined for none. */
export const patch = (
  endpoint: Endpoint,
  remote: RemoteResource,
  operations: readonly Operation[],
): ChangeRequest | undefined =>
  operations.length === 0
    ? undefined
    : {
        method: 'PATCH',
        path: `/${endpoint}/${encodeURIComponent(remote.id)}`,
        body: {
          schemas: [patchOperation],
          Operations: operations.map(({ op, path, value }) => ({ op, path, ...(value !== undefined && { value }) })),
        },
        version: versionOf(remote),
      }
