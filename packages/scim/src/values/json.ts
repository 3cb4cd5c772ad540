import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

/**
 * Creates an object without a prototype, in which `__proto__` is an ordinary member. The last of several members with the same
 * name wins, and `undefined` removes a member.
 */
export function toObject(members: Iterable<readonly [name: string, value: JsonValue | undefined]>): JsonObject {
  const object = Object.create(nothing) as Record<string, JsonValue>
  for (const [name, value] of members) {
    if (value === undefined) delete object[name]
    else object[name] = value
  }
  return object
}

/** An own member of an object, never an inherited one. */
export function getMember(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** A member that is a non-empty string; otherwise undefined. */
export function getText(object: JsonObject, name: string): string | undefined {
  const value = getMember(object, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** A copy with one member set, or without it when the value is `undefined`. */
export const withMember = (object: JsonObject, name: string, value: JsonValue | undefined): JsonObject =>
  toObject([...Object.entries(object), [name, value]])

/** Whether it is a JSON object, and not an array or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether it is a JSON array. */
export function isArray(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value)
}

/**
 * Used instead of `null` because V8 stores an object without a prototype as a hash table, which takes twice as long to copy and
 * to serialize.
 */
const nothing = Object.freeze(Object.create(null) as object)

/** Whether two JSON values are equal, ignoring the order of members. Recursive: values are no deeper than our schemas. */
export function sameValue(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true
  if (isArray(one))
    return isArray(other) && one.length === other.length && one.every((item, index) => sameValue(item, other[index]))
  if (!isObject(one) || !isObject(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && sameValue(getMember(one, name), getMember(other, name)))
  )
}
