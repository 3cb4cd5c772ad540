import {
  userId,
  type EpochSeconds,
  type JsonObject,
  type AdminStorage,
  type UserRecord,
} from '@mintmark/storage-interface'

import { customFieldsClaim, fieldsOf } from '../custom-fields/custom-field.ts'
import { refuse } from '../error/refusals.ts'
import { isIdentifier } from '../text.ts'

/** A user as administrators see them. */
export interface UserView {
  /** The `sub` of the user's tokens. */
  readonly userId: string
  readonly active: boolean
  /** The identity provider that provisions the user; undefined for a user of the host. */
  readonly providerId: string | undefined
  /** When an administrator blocked the user. No identity provider can lift the block. */
  readonly blockedAt: EpochSeconds | undefined
  /** By OIDC claim name, without the custom fields. */
  readonly claims: JsonObject
  readonly customFields: JsonObject
  readonly createdAt: EpochSeconds
  readonly updatedAt: EpochSeconds
  readonly version: number
}

/** @throws AdminError `user_unknown`. */
export async function findUser(id: string, { storage }: { readonly storage: AdminStorage }): Promise<UserRecord> {
  // OIDC Core §2: a `sub` has at most 255 characters.
  const user = isIdentifier(id, 255) ? await storage.users.find(userId(id)) : undefined
  if (user === undefined) throw refuse('user_unknown')
  return user
}

export function userView({
  userId,
  active,
  providerId,
  blockedAt,
  claims,
  createdAt,
  updatedAt,
  version,
}: UserRecord): UserView {
  const { [customFieldsClaim]: _fields, ...others } = claims
  return {
    userId,
    active,
    providerId,
    blockedAt,
    claims: others,
    customFields: fieldsOf(claims, customFieldsClaim),
    createdAt,
    updatedAt,
    version,
  }
}

/**
 * Returns a user for the audit log: the names of the claims without the values, so that no personal data is left in the
 * log when the user is removed.
 */
export const loggedUser = ({ active, blockedAt, generation, version, claims }: UserRecord): JsonObject => ({
  active,
  ...(blockedAt !== undefined && { blockedAt }),
  generation,
  version,
  claimNames: Object.keys(claims).toSorted(),
  customFieldNames: Object.keys(fieldsOf(claims, customFieldsClaim)).toSorted(),
})
