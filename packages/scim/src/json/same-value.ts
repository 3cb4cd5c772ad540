import type { JsonValue } from '@mintmark/storage-interface'

import { isArray, isObject, memberOf } from './json-object.ts'

/** Whether two values are the same JSON; the order of an object's members says nothing. As deep as our schemas, no deeper. */
export function sameValue(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true
  if (isArray(one))
    return isArray(other) && one.length === other.length && one.every((item, index) => sameValue(item, other[index]))
  if (!isObject(one) || !isObject(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && sameValue(memberOf(one, name), memberOf(other, name)))
  )
}
