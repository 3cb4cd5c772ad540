import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

/**
 * An object that inherits nothing: a member named `__proto__` is a member like any other. Of two members of one name the
 * last wins, and `undefined` takes a member away.
 */
export function toObject(members: Iterable<readonly [name: string, value: JsonValue | undefined]>): JsonObject {
  const object = Object.create(nothing) as Record<string, JsonValue>
  for (const [name, value] of members) {
    if (value === undefined) delete object[name]
    else object[name] = value
  }
  return object
}

/** A member of its own; nothing that a prototype brings along. */
export function getMember(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** A member that is a text and not an empty one; undefined for everything else. */
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

/** Not `null`: V8 keeps an object without a prototype as a table, which takes twice as long to copy and to write as JSON. */
const nothing = Object.freeze(Object.create(null) as object)

/** Whether two values are the same JSON; the order of an object's members says nothing. As deep as our schemas, no deeper. */
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
