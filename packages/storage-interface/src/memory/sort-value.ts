import { compareText } from '../filter/compare-text.ts'
import { isArray, memberOf } from '../json-member.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { SortKey } from '../resource-list.ts'

/** What a resource is sorted by: of several values the primary one, or else the first (RFC 7644 §3.4.2.3). */
export function sortValue(comparable: JsonObject, { attribute, elementPart }: SortKey): JsonValue | undefined {
  const owner = attribute.extension === undefined ? comparable : memberOf(comparable, attribute.extension)
  const value = memberOf(owner, attribute.name)
  const part = attribute.subName === undefined ? value : memberOf(value, attribute.subName)
  const element = isArray(part) ? (part.find((candidate) => memberOf(candidate, 'primary') === true) ?? part[0]) : part
  const compared = isArray(part) && elementPart !== undefined ? memberOf(element, elementPart) : element
  // RFC 7643 §2.5: null is no value.
  return compared ?? undefined
}

/** Ascending; RFC 7644 §3.4.2.3: what has no value comes last. */
export function compareValues(one: JsonValue | undefined, other: JsonValue | undefined): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined)
  return typeof one === 'string' && typeof other === 'string' ? compareText(one, other) : Number(one) - Number(other)
}
