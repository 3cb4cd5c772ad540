import type { EpochSeconds, GrantRecord } from '@mintmark/storage-interface'
import { isGrantActive } from '@mintmark/core/internal'

import { type AdminContext, audit } from '../audit/audit.ts'
import { findClient } from '../clients/client-view.ts'
import { refuse } from '../error/refusals.ts'
import { pageLimit, type Page, type PageRequest } from '../page.ts'
import { findUser } from '../users/user-view.ts'

/** A user's consent to a client. */
export interface GrantView {
  /** An identifier, not a credential. */
  readonly grantId: string
  readonly clientId: string
  readonly userId: string
  readonly scopes: readonly string[]
  /** The APIs that the user has consented to (RFC 8707). */
  readonly resources: readonly string[]
  readonly createdAt: EpochSeconds
  /**
   * Whether tokens issued under this grant are accepted now. They are refused while the client is disabled and after
   * the user was deactivated.
   */
  readonly honoured: boolean
}

/** The number of grants of a client that were revoked. */
export interface RevokedGrants {
  readonly revoked: number
  /** The `after` of the next call; undefined if no grants are left. */
  readonly next: string | undefined
}

/** Grants: the consent of users to clients. A method throws AdminError if the action is refused or fails. */
export interface GrantAdministration {
  /** The grants of a user, newest first. Refused: `user_unknown`. */
  listOfUser(id: string): Promise<readonly GrantView[]>
  /** Revokes one grant together with its tokens. Refused: `user_unknown`, `grant_unknown`. */
  revoke(grant: { readonly userId: string; readonly grantId: string }): Promise<void>
  /** Revokes all grants of a user, and returns their number. Refused: `user_unknown`. */
  revokeAllOfUser(id: string): Promise<number>
  /**
   * The grants of a client. Each page covers a page of users, so it may contain fewer grants than `limit`, or none.
   * Refused: `client_unknown`, `page_invalid`.
   */
  listOfClient(id: string, page?: PageRequest): Promise<Page<GrantView>>
  /**
   * Revokes the grants of a client, one page of users at a time: repeat it until there is no `next`. To refuse all
   * tokens of a client immediately, disable it first.
   */
  revokeOfClient(id: string, page?: PageRequest): Promise<RevokedGrants>
}

export const administerGrants = (context: AdminContext): GrantAdministration => ({
  listOfUser: async (id) => toViews(await grantsOfUser(id, context), context),
  revoke: ({ userId, grantId }) => revokeGrant(userId, grantId, context),
  revokeAllOfUser: (id) => revokeAllOfUser(id, context),
  listOfClient: async (id, page = {}) => {
    const { grants, next } = await grantsOfClient(id, page, context)
    return { items: await toViews(grants, context), next }
  },
  revokeOfClient: (id, page = {}) => revokeOfClient(id, page, context),
})

const toViews = (grants: readonly GrantRecord[], context: AdminContext): Promise<readonly GrantView[]> =>
  Promise.all(grants.map((grant) => grantView(grant, context)))

async function grantView(grant: GrantRecord, { storage }: AdminContext): Promise<GrantView> {
  const { grantId, clientId, userId, scopes, resources, createdAt } = grant
  const honoured = isGrantActive(await storage.status.ofGrant(grantId))
  return { grantId, clientId, userId, scopes, resources, createdAt, honoured }
}

async function grantsOfUser(user: string, context: AdminContext): Promise<readonly GrantRecord[]> {
  const { userId } = await findUser(user, context)
  return context.storage.grants.listByUser(userId)
}

const revokeGrant = (user: string, id: string, context: AdminContext): Promise<void> =>
  audit(
    {
      name: 'grant.revoked',
      target: { kind: 'grant', id },
      protective: true,
      run: async () => {
        const grant = (await grantsOfUser(user, context)).find(({ grantId }) => grantId === id)
        // RFC 9110 §15.5.5: the grant of another user is not found either.
        if (grant === undefined) throw refuse('grant_unknown')
        await context.storage.grants.revoke(grant.grantId, context.clock())
        return { result: undefined, before: { userId: grant.userId, clientId: grant.clientId, scopes: grant.scopes } }
      },
    },
    context,
  )

const revokeAllOfUser = (user: string, context: AdminContext): Promise<number> =>
  audit(
    {
      name: 'user.grants_revoked',
      target: { kind: 'user', id: user },
      protective: true,
      run: async () => {
        const grants = await grantsOfUser(user, context)
        for (const { grantId } of grants) await context.storage.grants.revoke(grantId, context.clock())
        return {
          result: grants.length,
          before: { grants: grants.map(({ grantId, clientId }) => ({ grantId, clientId })) },
        }
      },
    },
    context,
  )

const revokeOfClient = (client: string, page: PageRequest, context: AdminContext): Promise<RevokedGrants> =>
  audit(
    {
      name: 'client.grants_revoked',
      target: { kind: 'client', id: client },
      protective: true,
      run: async () => {
        const { grants, next } = await grantsOfClient(client, page, context)
        for (const { grantId } of grants) await context.storage.grants.revoke(grantId, context.clock())
        return {
          result: { revoked: grants.length, next },
          before: { grants: grants.map(({ grantId, userId }) => ({ grantId, userId })) },
        }
      },
    },
    context,
  )

/** Returns the grants to a client of one page of users. Storage finds grants only by user. */
async function grantsOfClient(
  client: string,
  page: PageRequest,
  context: AdminContext,
): Promise<{ readonly grants: readonly GrantRecord[]; readonly next: string | undefined }> {
  const { storage } = context
  const limit = pageLimit(page)
  const { clientId } = await findClient(client, context)
  const users = await storage.users.list({
    filter: undefined,
    sort: undefined,
    page: { kind: 'cursor', after: page.after, limit },
  })
  // RFC 7644 §3.12 tooMany.
  if (users.outcome === 'tooMany') throw refuse('filter_too_broad')
  const found = await Promise.all(users.records.map(({ userId }) => storage.grants.findUnrevoked(userId, clientId)))
  return { grants: found.filter((grant) => grant !== undefined), next: users.next }
}
