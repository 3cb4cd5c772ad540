import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

// Responses of the administration API are JSON. A member that is missing or has another type counts as empty, so that
// a page shows the rest.

/** Returns a string or a number as text; returns an empty string for any other value. */
export const textOf = (value: JsonValue | undefined): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

export const numberOf = (value: JsonValue | undefined): number | undefined =>
  typeof value === 'number' ? value : undefined

/** Returns the strings of a list. */
export const textsOf = (value: JsonValue | undefined): readonly string[] =>
  isList(value) ? value.filter((item) => typeof item === 'string') : []

/** Returns the objects of a list. */
export const recordsOf = (value: JsonValue | undefined): readonly JsonObject[] =>
  isList(value) ? value.filter(isRecord) : []

export const recordOf = (value: JsonValue | undefined): JsonObject => (isRecord(value) ? value : {})

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value)

const isRecord = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !isList(value)

/** Why a request of a directory was refused: the reason, and the attribute and the identifier that it is about. */
export function refusalIn(detail: JsonObject): string {
  const value = textOf(detail['value'])
  return [textOf(detail['reason']), textOf(detail['attribute']), value && `"${value}"`].filter(Boolean).join(' ')
}
