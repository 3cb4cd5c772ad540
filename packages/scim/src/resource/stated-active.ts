import type { JsonObject } from '@mintmark/storage-interface'

import { refusal } from '../error/scim-error.ts'
import { getMember, isObject } from '../values/json.ts'
import { nameKey } from '../values/text.ts'

/**
 * Refuses a PATCH after which a user or an agent has no `active`, because each is either active or not. A remove, null
 * and an empty string mean the same (RFC 7643 §2.5), and may be a deactivation that was lost.
 */
export function requireActive(patched: JsonObject): JsonObject {
  // RFC 7644 §3.5.2.2: a required attribute cannot be removed.
  if (getMember(patched, 'active') === undefined) throw refusal('attribute_required', { attribute: 'active' })
  return patched
}

/**
 * Refuses a body that names `active` without a value. An omitted `active` stays as it is.
 * @param body the body of a POST or PUT, which was parsed as `resource`.
 */
export function requireStatedActive(body: unknown, resource: JsonObject): void {
  const isStated = isObject(body) && Object.keys(body).some((name) => nameKey(name) === 'active')
  // RFC 7643 §2.5 and RFC 7644 §3.12 invalidValue.
  if (isStated && getMember(resource, 'active') === undefined) throw refusal('value_required', { attribute: 'active' })
}
