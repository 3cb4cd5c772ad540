import type { JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { isObject, memberOf, objectOf } from '../json/json-object.ts'
import { sameValue } from '../json/same-value.ts'
import { comparableValue } from '../resource/comparable-resource.ts'
import type { Attribute } from '../schema/attribute.ts'
import { elementKeys, sameElements } from './element-list.ts'

/**
 * A list in the place of another (RFC 7644 §3.5.1, §3.5.2.3). A value that stays keeps its immutable parts, and cannot be
 * given others (RFC 7643 §4.2). The list is the one before when it holds the same values, in whatever order.
 * @throws ScimError mutability — reason `attribute_immutable`.
 */
export function replaceElements(
  attribute: Attribute,
  current: readonly JsonValue[],
  given: readonly JsonValue[],
): readonly JsonValue[] {
  const keyOf = elementKeys(attribute)
  const before = new Map(current.map((element) => [keyOf(element), element]))
  const replaced = given.map((element) => keepImmutableParts(attribute, before.get(keyOf(element)), element))
  return sameElements(attribute, current, replaced) ? current : replaced
}

/** A complex value after a change, with the immutable parts that it had before. */
export function keepImmutableParts(attribute: Attribute, before: JsonValue | undefined, after: JsonValue): JsonValue {
  const immutable = attribute.subAttributes.filter(({ mutability }) => mutability === 'immutable')
  if (immutable.length === 0 || !isObject(before) || !isObject(after)) return after
  const kept = immutable.map((sub) => {
    const { name } = sub
    const was = memberOf(before, name)
    const is = memberOf(after, name)
    // RFC 7643 §7 mutability: once it has a value, it has no other. RFC 7643 §4.2: members come and go unedited.
    if (was !== undefined && is !== undefined && !sameValue(comparableValue(sub, was), comparableValue(sub, is))) {
      throw refusal('attribute_immutable', { attribute: `${attribute.name}.${name}` })
    }
    return [name, was ?? is] as const
  })
  return objectOf([...Object.entries(after), ...kept])
}
