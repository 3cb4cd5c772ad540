import type { EndedAccess } from '@mintmark/scim'

import type { Acting } from '../act/acting.ts'
import type { PageRequest } from '../page/page.ts'
import {
  createAccount,
  deactivateAccount,
  reactivateAccount,
  removeAccount,
  type EndedAccount,
  type NewAccount,
} from './account-acts.ts'
import { accountView, type AccountView } from './account-view.ts'
import type { AccountChange } from './changed-claims.ts'
import { findAccount } from './find-account.ts'
import { listAccounts, type AccountPage, type AccountSearch } from './list-accounts.ts'
import { updateAccount, type AccountTarget } from './update-account.ts'

/**
 * Accounts: the same ones that identity providers provision and that people sign in to. Each method throws AdminError.
 */
export interface AccountAdministration {
  /** Refused: `identifier_invalid`, `identifier_taken`, and as at `update`. */
  create(account?: NewAccount): Promise<AccountView>
  /** Refused: `account_unknown`, here and below. */
  read(id: string): Promise<AccountView>
  /** Oldest first. Refused: `filter_invalid`, `filter_too_broad`, `page_invalid`. */
  list(search?: AccountSearch & PageRequest): Promise<AccountPage>
  /**
   * What is left out stays, null takes away. What the account's identity provider says of the person, it may say
   * again. Refused: `claim_invalid`, `claim_reserved`, `claims_too_large`, `custom_field_unknown`,
   * `custom_field_invalid`, `version_mismatch`, `last_administrator`.
   */
  update(target: AccountTarget, change: AccountChange): Promise<AccountView>
  /** From this moment nothing that was issued to the person is honoured. Refused: `last_administrator`. */
  deactivate(id: string): Promise<EndedAccount>
  /** Nothing that was issued before is revived. */
  reactivate(id: string): Promise<AccountView>
  /**
   * For good: nothing of the person stays but the identifier, which stays taken. @returns what died. Refused:
   * `last_administrator`.
   */
  remove(id: string): Promise<EndedAccess | undefined>
}

export const administerAccounts = (acting: Acting): AccountAdministration => ({
  create: (account = {}) => createAccount(account, acting),
  read: async (id) => accountView(await findAccount(id, acting)),
  list: (search = {}) => listAccounts(search, acting),
  update: (target, change) => updateAccount(target, change, acting),
  deactivate: (id) => deactivateAccount(id, acting),
  reactivate: (id) => reactivateAccount(id, acting),
  remove: (id) => removeAccount(id, acting),
})
