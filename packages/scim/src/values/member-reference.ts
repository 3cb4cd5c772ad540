import { decodeSegment, type Pieces } from '@mintmark/internal'
import type { JsonValue } from '@mintmark/storage-interface'

import { isArray, isObject, membersByName, toObject } from './json.ts'
import { isAllowedText, nameKey } from './text.ts'

/**
 * Gives each member that is named by its `$ref` alone the `value` that the reference contains. RFC 7643 §4.2 defines
 * `$ref` as the URI of the member. A reference that is not below the tenant URL gets no value, so that its member is
 * refused later. With a `value`, the reference is ignored, because it is computed from the value.
 * @param members as sent: a list, one member, or anything else, which stays as it is.
 */
export function* withReferencedIds(members: JsonValue, baseUrl: string): Pieces<JsonValue> {
  if (!isArray(members)) return withReferencedId(members, baseUrl)
  const named: JsonValue[] = []
  for (const member of members) {
    named.push(withReferencedId(member, baseUrl))
    if (named.length % membersInPiece === 0) yield
  }
  return named
}

const membersInPiece = 100

function withReferencedId(member: JsonValue, baseUrl: string): JsonValue {
  if (!isObject(member)) return member
  const parts = membersByName(member)
  const reference = parts.get('$ref')?.value
  if (typeof reference !== 'string' || (parts.get('value')?.value ?? '') !== '') return member
  const id = referencedId(reference, baseUrl)
  if (id === undefined) return member
  return toObject([...Object.entries(member).filter(([name]) => nameKey(name) !== 'value'), ['value', id]])
}

/**
 * Returns the id of a user or group in a URI below the tenant URL. A relative URI starts at the tenant URL or at a
 * resource (RFC 7643 §2.3.7): `Users/1`, `/Users/1`, `../Users/1`.
 */
function referencedId(reference: string, baseUrl: string): string | undefined {
  const below = reference.startsWith(`${baseUrl}/`)
    ? reference.slice(baseUrl.length + 1)
    : reference.replace(/^(?:\.{1,2}\/|\/)/, '')
  const [, segment = ''] = /^(?:Users|Groups)\/([^/?#]+)$/i.exec(below) ?? []
  const id = decodeSegment(segment) ?? ''
  return id !== '' && isAllowedText(id, 'line') ? id : undefined
}
