import type { JsonObject, JsonValue } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { nameKey } from '../schema/name-key.ts'

/** A member of an object, with its name as it was written. */
export interface Member {
  readonly name: string
  readonly value: JsonValue
}

/**
 * The members of an object by `nameKey`.
 * @throws ScimError invalidSyntax — reason `member_repeated`.
 */
export function membersByName(object: JsonObject): ReadonlyMap<string, Member> {
  const members = new Map(Object.entries(object).map(([name, value]) => [nameKey(name), { name, value }]))
  // RFC 7643 §2.1: names do not differ by case, so `userName` and `USERNAME` are one attribute given twice.
  if (members.size < Object.keys(object).length) throw refusal('member_repeated')
  return members
}
