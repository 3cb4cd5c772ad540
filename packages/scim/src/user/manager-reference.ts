import type { JsonObject } from '@mintmark/storage-interface'

import { isObject, memberOf, withMember } from '../json/json-object.ts'
import { enterpriseUserSchema } from '../schema/enterprise-user-schema.ts'

/**
 * A user with the reference to its manager (RFC 7643 §4.3): `$ref` is the server's to make.
 * @param locate where an account is read; undefined takes the reference away.
 */
export function withManagerReference(resource: JsonObject, locate: (userId: string) => string | undefined): JsonObject {
  const enterprise = memberOf(resource, enterpriseUserSchema.id)
  const manager = isObject(enterprise) ? memberOf(enterprise, 'manager') : undefined
  const value = isObject(manager) ? memberOf(manager, 'value') : undefined
  if (!isObject(enterprise) || !isObject(manager) || typeof value !== 'string') return resource
  const reference = withMember(manager, '$ref', locate(value))
  return withMember(resource, enterpriseUserSchema.id, withMember(enterprise, 'manager', reference))
}
