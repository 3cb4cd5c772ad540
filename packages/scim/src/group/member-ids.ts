import type { JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { isArray, isObject, memberOf } from '../json/json-object.ts'

/**
 * Who is to be in a group: the `value` of each of its members (RFC 7643 §4.2). Their type is not looked at: who it is says it.
 * @param members as `readValue` reads them.
 * @throws ScimError invalidValue — reason `value_required`.
 */
export function memberIds(members: JsonValue | undefined): readonly string[] {
  const elements = isArray(members) ? members : []
  return elements.map((element) => {
    const id = namedIn(element)
    // RFC 7643 §4.2: without a value it is nobody.
    if (id === undefined) throw refusal('value_required', { attribute: 'members.value' })
    return id
  })
}

/** Whom a member names; undefined for nobody. */
export function namedIn(element: JsonValue): string | undefined {
  const value = isObject(element) ? memberOf(element, 'value') : undefined
  return typeof value === 'string' ? value : undefined
}
