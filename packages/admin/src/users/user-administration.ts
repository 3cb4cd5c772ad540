import type { RevokedAccess } from '@mintmark/scim/engine'

import type { AdminContext } from '../audit/audit.ts'
import { refuse, toAdminError } from '../error/refusals.ts'
import { pageLimit, type Page, type PageRequest } from '../page.ts'
import { type UserChange, type UserTarget, updateUser } from './update-user.ts'
import { upsertUsers, type UpsertOptions, type UpsertResult, type UserUpsert } from './upsert-users.ts'
import { userFilter } from '../last-administrators/user-filter.ts'
import {
  createUser,
  deactivateUser,
  reactivateUser,
  removeUser,
  revokeAccessOfUser,
  type DeactivatedUser,
  type NewUser,
} from './user-lifecycle.ts'
import { findUser, userView, type UserView } from './user-view.ts'

/**
 * Users, whether an identity provider provisions them or the host creates them. A method throws AdminError if the
 * action is refused or fails.
 */
export interface UserAdministration {
  /** Refused: `identifier_invalid`, `identifier_taken`, and as for `update`. */
  create(user?: NewUser): Promise<UserView>
  /** Refused: `user_unknown`. The same applies to every method below for one user. */
  read(id: string): Promise<UserView>
  /** Lists users, oldest first. Refused: `filter_invalid`, `filter_too_broad`, `page_invalid`. */
  list(search?: UserSearch): Promise<UserPage>
  /**
   * Writes users from the host's own table, with the host's own identifiers: creates users who do not exist, and
   * replaces the claims and custom fields of the others. It can be repeated at any time; users who are the same are
   * `unchanged`. A user who cannot be written is `refused`, and the others are written. Reasons: `identifier_invalid`,
   * `identifier_taken` (by a client, or by a user who was removed), `user_provisioned` (an identity provider owns
   * the user), `last_administrator`, and as for `update`.
   * @returns a result for each user, in the same order.
   */
  upsert(users: readonly UserUpsert[], options?: UpsertOptions): Promise<readonly UpsertResult[]>
  /**
   * Changes claims and custom fields. Those that are left out stay as they are; null removes a claim or a field. An
   * identity provider may overwrite the claims that it provisions. Refused: `claim_invalid`, `claim_reserved`,
   * `claims_too_large`, `custom_field_unknown`, `custom_field_invalid`, `version_mismatch`, `last_administrator`.
   */
  update(target: UserTarget, change: UserChange): Promise<UserView>
  /**
   * Blocks a user, and revokes everything issued to the user. No identity provider can lift the block.
   * Refused: `last_administrator`.
   */
  deactivate(id: string): Promise<DeactivatedUser>
  /**
   * Lifts the block. If the identity provider has deactivated the user too, the user stays inactive; call it again to
   * activate the user anyway. Credentials from before the deactivation stay revoked.
   */
  reactivate(id: string): Promise<UserView>
  /**
   * Signs a user out everywhere and revokes everything issued to the user, consent included. The user stays active and can sign in
   * again. Returns the access that was revoked; undefined if storage could not list it.
   */
  revokeAccess(id: string): Promise<RevokedAccess | undefined>
  /**
   * Removes a user for good. Only the identifier is kept, so that no other user gets it. Returns the access that was
   * revoked. Refused: `last_administrator`.
   */
  remove(id: string): Promise<RevokedAccess | undefined>
}

/** Selects users and a page of the list. */
interface UserSearch extends PageRequest {
  /** A filter of RFC 7644 §3.4.2.2, such as `active eq false and claims.email ew "@example.com"`. */
  readonly filter?: string | undefined
}

/** A page of users, and the number of users that match. */
export interface UserPage extends Page<UserView> {
  readonly total: number
}

export const administerUsers = (context: AdminContext): UserAdministration => ({
  create: (user = {}) => createUser(user, context),
  read: async (id) => userView(await findUser(id, context)),
  list: (search = {}) => listUsers(search, context),
  upsert: (users, options = {}) => upsertUsers(users, options, context),
  update: (target, change) => updateUser(target, change, context),
  deactivate: (id) => deactivateUser(id, context),
  reactivate: (id) => reactivateUser(id, context),
  revokeAccess: (id) => revokeAccessOfUser(id, context),
  remove: (id) => removeUser(id, context),
})

async function listUsers(search: UserSearch, { storage, userType }: AdminContext): Promise<UserPage> {
  const limit = pageLimit(search)
  const found = await storage.users.list({
    filter: search.filter === undefined ? undefined : parseUserFilter(search.filter, userType),
    sort: undefined,
    page: { kind: 'cursor', after: search.after, limit },
  })
  // RFC 7644 §3.12 tooMany.
  if (found.outcome === 'tooMany') throw refuse('filter_too_broad')
  return { items: found.records.map(userView), next: found.next, total: found.total }
}

function parseUserFilter(filter: string, type: AdminContext['userType']): ReturnType<typeof userFilter> {
  try {
    return userFilter(filter, type)
  } catch (thrown) {
    throw toAdminError(thrown)
  }
}
