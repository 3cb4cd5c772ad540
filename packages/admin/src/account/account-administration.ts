import type { RevokedAccess } from '@mintmark/scim'

import type { AdminContext } from '../audit/admin-context.ts'
import type { PageRequest } from '../page/page.ts'
import {
  createUser,
  deactivateUser,
  reactivateUser,
  removeUser,
  type RevokedUser,
  type NewUserInput,
} from './account-acts.ts'
import { userView, type UserView } from './account-view.ts'
import type { UserChange } from './changed-claims.ts'
import { findUser } from './find-account.ts'
import { listUsers, type UserPage, type UserSearch } from './list-accounts.ts'
import { updateUser, type UserTarget } from './update-account.ts'

/**
 * Accounts: the same ones that identity providers provision and that people sign in to. Each method throws AdminError.
 */
export interface UserAdministration {
  /** Refused: `identifier_invalid`, `identifier_taken`, and as at `update`. */
  create(account?: NewUserInput): Promise<UserView>
  /** Refused: `account_unknown`, here and below. */
  read(id: string): Promise<UserView>
  /** Oldest first. Refused: `filter_invalid`, `filter_too_broad`, `page_invalid`. */
  list(search?: UserSearch & PageRequest): Promise<UserPage>
  /**
   * What is left out stays, null takes away. What the account's identity provider says of the person, it may say
   * again. Refused: `claim_invalid`, `claim_reserved`, `claims_too_large`, `custom_field_unknown`,
   * `custom_field_invalid`, `version_mismatch`, `last_administrator`.
   */
  update(target: UserTarget, change: UserChange): Promise<UserView>
  /** From this moment nothing that was issued to the person is honoured. Refused: `last_administrator`. */
  deactivate(id: string): Promise<RevokedUser>
  /** Nothing that was issued before is revived. */
  reactivate(id: string): Promise<UserView>
  /**
   * For good: nothing of the person stays but the identifier, which stays taken. @returns what died. Refused:
   * `last_administrator`.
   */
  remove(id: string): Promise<RevokedAccess | undefined>
}

export const administerUsers = (acting: AdminContext): UserAdministration => ({
  create: (account = {}) => createUser(account, acting),
  read: async (id) => userView(await findUser(id, acting)),
  list: (search = {}) => listUsers(search, acting),
  update: (target, change) => updateUser(target, change, acting),
  deactivate: (id) => deactivateUser(id, acting),
  reactivate: (id) => reactivateUser(id, acting),
  remove: (id) => removeUser(id, acting),
})
