import type { GrantRecord } from '@mintmark/storage-interface'

import type { AdminContext } from '../audit/admin-context.ts'
import { audit } from '../audit/audit.ts'
import { findClient } from '../client/find-client.ts'
import { AdminError } from '../error/admin-error.ts'
import { pageLimit, type Page, type PageRequest } from '../page/page.ts'
import { grantView, type GrantView } from './grant-view.ts'

/** What was ended of a client's grants. */
export interface RevokedGrants {
  readonly revoked: number
  /** Where to go on; undefined when all have been looked at. */
  readonly next: string | undefined
}

/** @throws AdminError `client_unknown` | `page_invalid`. */
export async function listClientGrants(
  client: string,
  page: PageRequest,
  acting: AdminContext,
): Promise<Page<GrantView>> {
  const { grants, next } = await clientGrants(client, page, acting)
  return { items: await Promise.all(grants.map((grant) => grantView(grant, acting))), next }
}

/** @throws AdminError `client_unknown` | `page_invalid`. */
export const revokeClientGrants = (client: string, page: PageRequest, acting: AdminContext): Promise<RevokedGrants> =>
  audit(
    {
      name: 'client.grants_revoked',
      target: { kind: 'client', id: client },
      protective: true,
      run: async () => {
        const { grants, next } = await clientGrants(client, page, acting)
        for (const { grantId } of grants) await acting.storage.grants.revoke(grantId, acting.clock())
        return {
          result: { revoked: grants.length, next },
          before: { grants: grants.map(({ grantId, userId }) => ({ grantId, userId })) },
        }
      },
    },
    acting,
  )

/** Those of one page of accounts: storage finds grants by account. */
async function clientGrants(
  client: string,
  page: PageRequest,
  acting: AdminContext,
): Promise<{ readonly grants: readonly GrantRecord[]; readonly next: string | undefined }> {
  const { storage } = acting
  const limit = pageLimit(page)
  const { clientId } = await findClient(client, acting)
  const accounts = await storage.users.list({
    filter: undefined,
    sort: undefined,
    page: { kind: 'cursor', after: page.after, limit },
  })
  // RFC 7644 §3.12 tooMany.
  if (accounts.outcome === 'tooMany') throw new AdminError('filter_too_broad')
  const found = await Promise.all(accounts.records.map(({ userId }) => storage.grants.findUnrevoked(userId, clientId)))
  return { grants: found.filter((grant) => grant !== undefined), next: accounts.next }
}
