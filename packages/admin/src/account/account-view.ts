import type { EpochSeconds, JsonObject, UserRecord } from '@mintmark/storage-interface'

import { fieldsOf } from '../custom-field/read-field-values.ts'
import { customFieldsClaim } from '../custom-field/reserved-claims.ts'

/** An account as administrators see it. */
export interface UserView {
  /** The `sub` of its tokens. */
  readonly userId: string
  readonly active: boolean
  /** By OIDC claim name, without the custom fields. */
  readonly claims: JsonObject
  readonly customFields: JsonObject
  readonly createdAt: EpochSeconds
  readonly updatedAt: EpochSeconds
  readonly version: number
}

export function userView({ userId, active, claims, createdAt, updatedAt, version }: UserRecord): UserView {
  const { [customFieldsClaim]: _fields, ...others } = claims
  return {
    userId,
    active,
    claims: others,
    customFields: fieldsOf(claims, customFieldsClaim),
    createdAt,
    updatedAt,
    version,
  }
}

/**
 * What a log may hold of an account: the names of what is known of the person, and nothing of it. Erasing the account
 * erases the person.
 */
export const loggedUser = ({ active, generation, version, claims }: UserRecord): JsonObject => ({
  active,
  generation,
  version,
  claimNames: Object.keys(claims).toSorted(),
  customFieldNames: Object.keys(fieldsOf(claims, customFieldsClaim)).toSorted(),
})
