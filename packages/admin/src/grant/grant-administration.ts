import type { GrantRecord } from '@mintmark/storage-interface'

import type { AdminContext } from '../audit/admin-context.ts'
import { audit } from '../audit/audit.ts'
import { findUser } from '../account/find-account.ts'
import { AdminError } from '../error/admin-error.ts'
import type { Page, PageRequest } from '../page/page.ts'
import { listClientGrants, revokeClientGrants, type RevokedGrants } from './client-grants.ts'
import { grantView, type GrantView } from './grant-view.ts'

/** Grants: the consent of people, and everything that was issued under it. Each method throws AdminError. */
export interface GrantAdministration {
  /** A person's, newest first. Refused: `account_unknown`. */
  listOfAccount(account: string): Promise<readonly GrantView[]>
  /** Ends one: consent and tokens, at once. Refused: `account_unknown`, `grant_unknown`. */
  revoke(grant: { readonly userId: string; readonly grantId: string }): Promise<void>
  /** Ends all of a person's. @returns how many. Refused: `account_unknown`. */
  revokeAllOfAccount(account: string): Promise<number>
  /**
   * A client's. They are found by account: a page is a page of accounts, and may show fewer grants, or none, before the
   * last page.
   * Refused: `client_unknown`, `page_invalid`.
   */
  listOfClient(client: string, page?: PageRequest): Promise<Page<GrantView>>
  /**
   * Ends a client's, a page of accounts at a time: go on until there is no `next`. Disable the client first to end
   * everything at once.
   */
  revokeOfClient(client: string, page?: PageRequest): Promise<RevokedGrants>
}

export const administerGrants = (acting: AdminContext): GrantAdministration => ({
  listOfAccount: async (account) =>
    Promise.all((await grantsOf(account, acting)).map((grant) => grantView(grant, acting))),
  revoke: ({ userId, grantId }) => revokeGrant(userId, grantId, acting),
  revokeAllOfAccount: (account) => revokeAll(account, acting),
  listOfClient: (client, page = {}) => listClientGrants(client, page, acting),
  revokeOfClient: (client, page = {}) => revokeClientGrants(client, page, acting),
})

async function grantsOf(account: string, acting: AdminContext): Promise<readonly GrantRecord[]> {
  const { userId } = await findUser(account, acting)
  return acting.storage.grants.listByUser(userId)
}

const revokeGrant = (account: string, id: string, acting: AdminContext): Promise<void> =>
  audit(
    {
      name: 'grant.revoked',
      target: { kind: 'grant', id },
      protective: true,
      run: async () => {
        const grant = (await grantsOf(account, acting)).find(({ grantId }) => grantId === id)
        // RFC 9110 §15.5.5: another person's is not there.
        if (grant === undefined) throw new AdminError('grant_unknown')
        await acting.storage.grants.revoke(grant.grantId, acting.clock())
        return { result: undefined, before: { userId: grant.userId, clientId: grant.clientId, scopes: grant.scopes } }
      },
    },
    acting,
  )

const revokeAll = (account: string, acting: AdminContext): Promise<number> =>
  audit(
    {
      name: 'account.grants_revoked',
      target: { kind: 'account', id: account },
      protective: true,
      run: async () => {
        const grants = await grantsOf(account, acting)
        for (const { grantId } of grants) await acting.storage.grants.revoke(grantId, acting.clock())
        return {
          result: grants.length,
          before: { grants: grants.map(({ grantId, clientId }) => ({ grantId, clientId })) },
        }
      },
    },
    acting,
  )
