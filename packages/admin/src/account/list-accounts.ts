import type { AdminContext } from '../audit/admin-context.ts'
import { AdminError } from '../error/admin-error.ts'
import { toAdminError } from '../error/to-admin-error.ts'
import { isStorable } from '../json/storable.ts'
import { pageLimit, type Page, type PageRequest } from '../page/page.ts'
import { userFilter } from './account-filter.ts'
import { userView, type UserView } from './account-view.ts'

/** Which accounts are listed, and which part of the list. */
export interface UserSearch extends PageRequest {
  /** In the language of RFC 7644 §3.4.2.2, such as `active eq false and claims.email ew "@example.com"`. */
  readonly filter?: string | undefined
}

/** A page of accounts, and how many match in all. */
export interface UserPage extends Page<UserView> {
  readonly total: number
}

/**
 * Accounts, oldest first: all of the issuer's, whoever provisioned them.
 * @throws AdminError `filter_invalid` | `filter_too_broad` | `page_invalid`.
 */
export async function listUsers(search: UserSearch, { storage, accountType }: AdminContext): Promise<UserPage> {
  const limit = pageLimit(search)
  const found = await storage.users.list({
    filter: search.filter === undefined ? undefined : parsed(search.filter, accountType),
    sort: undefined,
    page: { kind: 'cursor', after: search.after, limit },
  })
  // RFC 7644 §3.12 tooMany.
  if (found.outcome === 'tooMany') throw new AdminError('filter_too_broad')
  return { items: found.records.map(userView), next: found.next, total: found.total }
}

function parsed(filter: string, type: AdminContext['accountType']): ReturnType<typeof userFilter> {
  try {
    const resolved = userFilter(filter, type)
    // RFC 7644 §3.4.2.2: no account has such a text, and not every store can look for it.
    if (!isStorable(resolved)) throw new AdminError('filter_invalid')
    return resolved
  } catch (thrown) {
    throw toAdminError(thrown)
  }
}
