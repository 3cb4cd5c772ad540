import type { JsonObject, JsonValue } from './json.ts'

export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isArray = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value)

/** A member of an object's own, nothing that a prototype brings along; undefined of everything that is no object. */
export const memberOf = (owner: JsonValue | undefined, name: string): JsonValue | undefined =>
  isObject(owner) && Object.hasOwn(owner, name) ? owner[name] : undefined
