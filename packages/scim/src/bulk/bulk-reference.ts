import type { JsonValue } from '@mintmark/storage-interface'

import { isArray, isObject, objectOf } from '../json/json-object.ts'

/**
 * The `bulkId` that a text refers to (RFC 7644 §3.7.2): `qwerty` for `bulkId:qwerty`. No identifier begins so (RFC 7643 §3.1).
 * @returns undefined for every other text.
 */
export const referenceIn = (text: string): string | undefined =>
  text.startsWith(prefix) ? text.slice(prefix.length) : undefined

/** All references in what an operation sends, wherever they stand: members, a manager, the value of a PATCH operation. */
export function referencesIn(data: JsonValue | undefined): readonly string[] {
  if (typeof data === 'string') {
    const bulkId = referenceIn(data)
    return bulkId === undefined ? [] : [bulkId]
  }
  if (isArray(data)) return data.flatMap(referencesIn)
  return isObject(data) ? Object.values(data).flatMap(referencesIn) : []
}

/** The same data with identifiers in place of references. */
export function withIdentifiers(data: JsonValue, idOf: (bulkId: string) => string): JsonValue {
  if (typeof data === 'string') {
    const bulkId = referenceIn(data)
    return bulkId === undefined ? data : idOf(bulkId)
  }
  if (isArray(data)) return data.map((item) => withIdentifiers(item, idOf))
  return isObject(data)
    ? objectOf(Object.entries(data).map(([name, value]) => [name, withIdentifiers(value, idOf)]))
    : data
}

const prefix = 'bulkId:'
