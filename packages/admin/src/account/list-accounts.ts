import type { Acting } from '../act/acting.ts'
import { AdminError } from '../error/admin-error.ts'
import { toAdminError } from '../error/to-admin-error.ts'
import { isStorable } from '../json/storable.ts'
import { pageLimit, type Page, type PageRequest } from '../page/page.ts'
import { accountFilter } from './account-filter.ts'
import { accountView, type AccountView } from './account-view.ts'

/** Which accounts are listed, and which part of the list. */
export interface AccountSearch extends PageRequest {
  /** In the language of RFC 7644 §3.4.2.2, such as `active eq false and claims.email ew "@example.com"`. */
  readonly filter?: string | undefined
}

/** A page of accounts, and how many match in all. */
export interface AccountPage extends Page<AccountView> {
  readonly total: number
}

/**
 * Accounts, oldest first: all of the issuer's, whoever provisioned them.
 * @throws AdminError `filter_invalid` | `filter_too_broad` | `page_invalid`.
 */
export async function listAccounts(search: AccountSearch, { storage, accountType }: Acting): Promise<AccountPage> {
  const limit = pageLimit(search)
  const found = await storage.users.list({
    filter: search.filter === undefined ? undefined : parsed(search.filter, accountType),
    sort: undefined,
    page: { kind: 'cursor', after: search.after, limit },
  })
  // RFC 7644 §3.12 tooMany.
  if (found.outcome === 'tooMany') throw new AdminError('filter_too_broad')
  return { items: found.records.map(accountView), next: found.next, total: found.total }
}

function parsed(filter: string, type: Acting['accountType']): ReturnType<typeof accountFilter> {
  try {
    const resolved = accountFilter(filter, type)
    // RFC 7644 §3.4.2.2: no account has such a text, and not every store can look for it.
    if (!isStorable(resolved)) throw new AdminError('filter_invalid')
    return resolved
  } catch (thrown) {
    throw toAdminError(thrown)
  }
}
