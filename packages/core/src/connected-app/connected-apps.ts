import { grantId, userId, type EpochSeconds, type Storage } from '@mintmark/storage-interface'

import { systemClock, type Clock } from '../runtime/clock.ts'
import { isGrantActive } from '../status/is-active.ts'

/** A client that a person has let in, as their account page shows it. */
export interface ConnectedApp {
  /** Names the grant; it opens nothing. */
  readonly grantId: string
  readonly clientId: string
  readonly clientName: string
  readonly scopes: readonly string[]
  readonly since: EpochSeconds
}

/** The clients that people have let in. */
export interface ConnectedApps {
  /**
   * Newest first. What gets nothing any more is left out: clients that were disabled or deleted, and consent of before
   * the account was deactivated.
   */
  list(subject: string): Promise<readonly ConnectedApp[]>
  /**
   * Ends a grant: the consent and every token under it, at once.
   * @returns `absent` when the person has no such grant.
   */
  disconnect(subject: string, grant: string): Promise<'ended' | 'absent'>
}

export function createConnectedApps(deps: { readonly storage: Storage; readonly clock?: Clock }): ConnectedApps {
  const { storage } = deps
  const clock = deps.clock ?? systemClock

  return {
    async list(subject) {
      const grants = await storage.grants.listByUser(userId(subject))
      const standings = await Promise.all(grants.map((grant) => storage.status.ofGrant(grant.grantId)))
      return standings.filter(isGrantActive).map(({ grant, client: { clientName } }) => {
        const { grantId: id, clientId, scopes, createdAt } = grant
        return { grantId: id, clientId, clientName, scopes, since: createdAt }
      })
    },
    async disconnect(subject, grant) {
      const own = await storage.grants.listByUser(userId(subject))
      // A person ends their own grants; another's is not there.
      if (own.every(({ grantId: id }) => id !== grant)) return 'absent'
      const revoked = await storage.grants.revoke(grantId(grant), clock())
      return revoked.outcome === 'absent' ? 'absent' : 'ended'
    },
  }
}
