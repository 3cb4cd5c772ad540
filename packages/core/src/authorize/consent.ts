import { randomIdentifier, systemClock, type Clock, type Random } from '@mintmark/internal'
import {
  grantId,
  userId,
  type ClientId,
  type EpochSeconds,
  type GrantRecord,
  type OAuthStorage,
} from '@mintmark/storage-interface'
import { untilSettled } from '@mintmark/storage-interface/stores'

import type { SignedInUser } from '../sessions/signed-in-user.ts'
import { isGrantActive } from '../tokens/status.ts'

interface SaveGrantDependencies {
  readonly storage: OAuthStorage
  readonly random: Random
}

/**
 * Records a user's consent: in a new grant, or by adding scopes to the existing grant between the user and the client.
 * Two tabs that consent at the same time result in one grant with the scopes of both.
 * @returns `undefined` when the user was deactivated and reactivated since they were identified: this consent does not
 *   count, and consent given after the reactivation stays.
 */
export async function saveGrant(
  consent: { readonly clientId: ClientId; readonly signedInUser: SignedInUser; readonly scopes: readonly string[] },
  now: EpochSeconds,
  deps: SaveGrantDependencies,
): Promise<GrantRecord | undefined> {
  const fresh: GrantRecord = {
    grantId: grantId(randomIdentifier(deps.random)),
    clientId: consent.clientId,
    userId: consent.signedInUser.user.userId,
    userGeneration: consent.signedInUser.user.generation,
    scopes: consent.scopes,
    resources: [],
    createdAt: now,
    revokedAt: undefined,
    version: 1,
  }
  const saved = await untilSettled(async () => {
    const inserted = await deps.storage.grants.insert(fresh)
    if (inserted.outcome === 'inserted') return fresh
    if (inserted.record.userGeneration > fresh.userGeneration) return 'outlived'
    return widen(inserted.record, fresh, deps.storage)
  })
  return saved === 'outlived' ? undefined : saved
}

/**
 * Adds scopes to the existing grant. Returns `undefined` when the grant changed meanwhile, or was of an older
 * generation and has been revoked.
 */
async function widen(
  existing: GrantRecord,
  fresh: GrantRecord,
  storage: OAuthStorage,
): Promise<GrantRecord | undefined> {
  if (existing.userGeneration !== fresh.userGeneration) {
    await storage.grants.revoke(existing.grantId, fresh.createdAt)
    return undefined
  }
  const scopes = [...new Set([...existing.scopes, ...fresh.scopes])]
  if (scopes.length === existing.scopes.length) return existing
  const swapped = await storage.grants.replaceConsent({
    grantId: existing.grantId,
    scopes,
    resources: existing.resources,
    version: existing.version,
  })
  return swapped.outcome === 'swapped' ? swapped.record : undefined
}

/** A client with access to a user's account, for an account page. */
export interface ConnectedApp {
  /** Identifies the grant; it is not a credential. */
  readonly grantId: string
  readonly clientId: string
  readonly clientName: string
  readonly scopes: readonly string[]
  readonly since: EpochSeconds
}

/** Lists and disconnects the clients with access to a user's account. */
export interface ConnectedApps {
  /**
   * Lists the user's active grants, newest first: without disabled or deleted clients, and without consent from before
   * a deactivation.
   */
  list(subject: string): Promise<readonly ConnectedApp[]>
  /**
   * Revokes a grant: the consent and every token issued under it, at once.
   * @returns `absent` when the user has no such grant.
   */
  disconnect(subject: string, grant: string): Promise<'revoked' | 'absent'>
}

export function createConnectedApps(deps: { readonly storage: OAuthStorage; readonly clock?: Clock }): ConnectedApps {
  const { storage } = deps
  const clock = deps.clock ?? systemClock

  return {
    async list(subject) {
      const grants = await storage.grants.listByUser(userId(subject))
      const statuses = await Promise.all(grants.map((grant) => storage.status.ofGrant(grant.grantId)))
      return statuses.filter(isGrantActive).map(({ grant, client: { clientName } }) => {
        const { grantId: id, clientId, scopes, createdAt } = grant
        return { grantId: id, clientId, clientName, scopes, since: createdAt }
      })
    },
    async disconnect(subject, grant) {
      const own = await storage.grants.listByUser(userId(subject))
      // Another user's grant is treated as absent.
      if (own.every(({ grantId: id }) => id !== grant)) return 'absent'
      const revoked = await storage.grants.revoke(grantId(grant), clock())
      return revoked.outcome === 'absent' ? 'absent' : 'revoked'
    },
  }
}
